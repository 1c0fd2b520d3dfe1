import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import type { AgentId, ProjectId } from "../domain/Id.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { Reader } from "./Database.ts"
import { Loops } from "./Loops.ts"
import { Metrics } from "./Metrics.ts"
import { Settings } from "./Settings.ts"

export type CappedTable = "queues" | "workers"

/** A row that an agent reports; engine and name identify it in its project. */
export interface CappedRow {
  readonly project_id: ProjectId
  readonly engine: string
  readonly name: string
  readonly agent_id: AgentId
}

/** The known rows of a project in a table. */
interface RowCount {
  /** The number of rows. Too high after retention deleted some, until the next count. */
  count: number
  /** Names of stored rows and of rows admitted since; complete when `hasAllNames`. */
  readonly names: Set<string>
  readonly hasAllNames: boolean
  readonly countedAt: number
}

/** Rows are counted again after this time, since retention deletes some; sooner when the table is full. */
const recountMillis = 600_000
const recountWhenFullMillis = 30_000

/** From this share of the cap on, the names of all stored rows are kept, so that known rows are still admitted. */
const nearlyFull = 0.9

const nameKey = ({ engine, name }: Pick<CappedRow, "engine" | "name">): string => `${engine}\n${name}`

/**
 * Caps the queues and workers of a project, so that an agent cannot create rows without limit. Rows beyond the cap are
 * dropped, counted in a metric, and reported on the record of their agent.
 */
export class RowCaps extends Effect.Service<RowCaps>()("svc/RowCaps", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const settings = yield* Settings
    const metrics = yield* Metrics
    const loops = yield* Loops
    const limits = { queues: settings.queuesPerProject, workers: settings.workersPerProject }
    const variables = { queues: "SVC_QUEUES_PER_PROJECT", workers: "SVC_WORKERS_PER_PROJECT" }
    const counts = new Map<string, RowCount>()
    /** The tables with dropped rows, by agent. */
    const droppedRows = new Map<string, Map<CappedTable, number>>()

    const isCurrent = (table: CappedTable, entry: RowCount | undefined, now: number): boolean => {
      if (entry === undefined) return false
      const isNearlyFull = entry.count >= limits[table] * nearlyFull
      if (isNearlyFull && !entry.hasAllNames) return false
      return now - entry.countedAt < (isNearlyFull ? recountWhenFullMillis : recountMillis)
    }

    const count = Effect.fnUntraced(function*(table: CappedTable, projectId: ProjectId, now: number) {
      const [row] = yield* read<{ count: number }>`
        SELECT CAST(count(*) AS integer) AS count FROM ${read(table)} WHERE project_id = ${projectId}`
      const stored = Number(row?.count ?? 0)
      const hasAllNames = stored >= limits[table] * nearlyFull
      const rows = hasAllNames
        ? yield* read<{ engine: string; name: string }>`SELECT engine, name FROM ${
          read(table)
        } WHERE project_id = ${projectId}`
        : []
      counts.set(`${table} ${projectId}`, {
        count: stored,
        names: new Set(rows.map(nameKey)),
        hasAllNames,
        countedAt: now
      })
    })

    /** Counts the rows of these projects where a count is due. Call it before `admit`, which must not wait. */
    const prepare = Effect.fnUntraced(function*(projectIds: Iterable<ProjectId>) {
      const now = yield* Clock.currentTimeMillis
      for (const projectId of projectIds) {
        for (const table of ["queues", "workers"] as const) {
          if (!isCurrent(table, counts.get(`${table} ${projectId}`), now)) yield* count(table, projectId, now)
        }
      }
    })

    const drop = (table: CappedTable, { agent_id }: CappedRow): false => {
      metrics.rowsDropped.inc({ table })
      const tables = droppedRows.get(agent_id) ?? new Map<CappedTable, number>()
      droppedRows.set(agent_id, tables.set(table, (tables.get(table) ?? 0) + 1))
      return false
    }

    /** The rows within the caps. A project without `prepare` is not capped. */
    const admit = <A extends CappedRow>(table: CappedTable, rows: ReadonlyArray<A>): ReadonlyArray<A> =>
      rows.filter((row) => {
        const entry = counts.get(`${table} ${row.project_id}`)
        if (entry === undefined || entry.names.has(nameKey(row))) return true
        if (entry.count >= limits[table]) return drop(table, row)
        entry.count++
        entry.names.add(nameKey(row))
        return true
      })

    const writeRefusals = Effect.gen(function*() {
      const now = yield* Timestamp.now
      for (const [agentId, tables] of droppedRows) {
        const detail = [...tables].map(([table, rows]) =>
          `The project has reached its limit of ${limits[table]} ${table} (${
            variables[table]
          }): ${rows} reports of others were dropped.`
        ).join(" ")
        yield* sql`UPDATE agents SET last_refused_at = ${now}, last_refused_reason = 'too_many_rows',
          last_refused_detail = ${detail} WHERE id = ${agentId}`
        droppedRows.delete(agentId)
      }
    })
    yield* loops.every("row caps", "2 seconds", writeRefusals)

    return { prepare, admit } as const
  })
}) {
  static readonly layer = this.Default
}
