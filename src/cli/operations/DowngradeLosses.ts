import { Effect } from "effect"
import { Migrations } from "../../services/kernel/sql/Migrations.ts"
import { Catalog } from "../../services/operations/Backup/Catalog.ts"
import { countRowsOf, type Rows } from "./RowCounts.ts"

export interface Loss {
  /** A table, a column, or rows of a table that stays. */
  readonly what: string
  readonly rows: Rows
}

/** What may be lost: rows of a table that meet the condition, or all of them. */
interface Candidate {
  readonly what: string
  readonly table: string
  readonly where: string | undefined
}

/**
 * What a downgrade to `target` deletes: the rows of tables and the values of columns that the earlier schema does not
 * have, and rows that its steps delete. Empty tables and columns are left out.
 */
export const listLosses = (target: number) =>
  Effect.gen(function*() {
    const { current, stepsBack } = yield* Migrations
    const { tablesAt } = yield* Catalog
    const steps = yield* stepsBack(target)
    const [before, after] = yield* Effect.all([tablesAt(yield* current), tablesAt(target)])
    const columnsAfter = new Map(after.map(({ columns, name }) => [name, new Set(columns.map((one) => one.name))]))
    const candidates: ReadonlyArray<Candidate> = before.flatMap(
      ({ columns, name: table }): ReadonlyArray<Candidate> => {
        const kept = columnsAfter.get(table)
        if (kept === undefined) return [{ what: table, table, where: undefined }]
        const lost = columns.filter(({ name }) => !kept.has(name))
        return lost.map(({ name }) => ({ what: `${table}.${name}`, table, where: `${name} IS NOT NULL` }))
      }
    )
    const deleted: ReadonlyArray<Candidate> = steps.flatMap(({ deletes = [] }) => deletes)
      .filter(({ table }) => columnsAfter.has(table))
      .map(({ table, where }) => ({ what: `${table} where ${where}`, table, where }))
    const losses: ReadonlyArray<Loss> = yield* Effect.forEach(
      [...candidates, ...deleted],
      ({ table, what, where }) => Effect.map(countRowsOf(table, where), (rows) => ({ what, rows }))
    )
    return losses.filter(({ rows }) => rows.n > 0)
  })
