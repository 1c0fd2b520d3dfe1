import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Loops } from "../concurrency/Loops.ts"
import { Metrics } from "../Metrics.ts"
import { Settings } from "../Settings.ts"
import { Reader } from "./Database.ts"

export type CappedTable = "queues" | "workers" | "failure_groups"

/** A row that an agent reports. */
export interface CappedRow {
  readonly project_id: ProjectId
  readonly agent_id: AgentId
}

/** A queue or worker. */
export interface NamedRow extends CappedRow {
  readonly engine: string
  readonly name: string
}

/** The known rows of a project in a table. */
interface RowCount {
  /** The number of rows. Too high after retention deleted some, until the next count. */
  count: number
  /** Keys of stored rows and of rows admitted since; complete when `hasAllKeys`. */
  readonly keys: Set<string>
  readonly hasAllKeys: boolean
  readonly countedAt: number
}

/** Rows are counted again after this time, since retention deletes some; sooner when the table is full. */
const recountMillis = 600_000
const recountWhenFullMillis = 30_000

/** From this share of the cap on, the keys of all stored rows are kept, so that known rows are still admitted. */
const nearlyFull = 0.9

/** Identifies a queue or worker in its project. */
export const nameKey = ({ engine, name }: NamedRow): string => `${engine}\n${name}`

/**
 * Caps the queues, workers and failure groups of a project, so that an agent cannot create rows without limit. Rows beyond the cap are
 * dropped, counted in a metric, and reported on the record of their agent.
 */
export class RowCaps extends Effect.Service<RowCaps>()("svc/RowCaps", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const settings = yield* Settings
    const metrics = yield* Metrics
    const loops = yield* Loops
    const limits = {
      queues: settings.queuesPerProject,
      workers: settings.workersPerProject,
      failure_groups: settings.failureGroupsPerProject
    }
    const variables = {
      queues: "SVC_QUEUES_PER_PROJECT",
      workers: "SVC_WORKERS_PER_PROJECT",
      failure_groups: "SVC_FAILURE_GROUPS_PER_PROJECT"
    }
    const name = read`engine || ${"\n"} || name`
    const keyColumns = { queues: name, workers: name, failure_groups: read`fingerprint` }
    const counts = new Map<string, RowCount>()
    /** The tables with dropped rows, by agent. */
    const droppedRows = new Map<string, Map<CappedTable, number>>()

    const isCurrent = (table: CappedTable, entry: RowCount | undefined, now: number): boolean => {
      if (entry === undefined) return false
      const isNearlyFull = entry.count >= limits[table] * nearlyFull
      if (isNearlyFull && !entry.hasAllKeys) return false
      return now - entry.countedAt < (isNearlyFull ? recountWhenFullMillis : recountMillis)
    }

    const count = Effect.fnUntraced(function*(table: CappedTable, projectId: ProjectId, now: number) {
      const [row] = yield* read<{ count: number }>`
        SELECT CAST(count(*) AS integer) AS count FROM ${read(table)} WHERE project_id = ${projectId}`
      const stored = Number(row?.count ?? 0)
      const admittedLately = () => {
        const known = counts.get(`${table} ${projectId}`)
        return known === undefined || now - known.countedAt >= recountWhenFullMillis ? [] : [...known.keys]
      }
      const hasAllKeys = Math.max(stored, admittedLately().length) >= limits[table] * nearlyFull
      const rows = hasAllKeys
        ? yield* read<{ key: string }>`SELECT ${keyColumns[table]} AS key FROM ${
          read(table)
        } WHERE project_id = ${projectId}`
        : []
      // the transactions of other writers that admitted rows lately may not have committed them yet
      const keys = new Set([...rows.map(({ key }) => key), ...admittedLately()])
      counts.set(`${table} ${projectId}`, {
        count: Math.max(stored, keys.size),
        keys,
        hasAllKeys,
        countedAt: now
      })
    })

    /** Counts the rows of these projects where a count is due. Call it before `admit`, which must not wait. */
    const prepare = Effect.fnUntraced(function*(projectIds: Iterable<ProjectId>) {
      const now = yield* Clock.currentTimeMillis
      for (const projectId of projectIds) {
        for (const table of ["queues", "workers", "failure_groups"] as const) {
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
    const admit = <A extends CappedRow>(
      table: CappedTable,
      rows: ReadonlyArray<A>,
      keyOf: (row: A) => string
    ): ReadonlyArray<A> =>
      rows.filter((row) => {
        const entry = counts.get(`${table} ${row.project_id}`)
        const key = keyOf(row)
        if (entry === undefined || entry.keys.has(key)) return true
        if (entry.count >= limits[table]) return drop(table, row)
        entry.count++
        entry.keys.add(key)
        return true
      })

    const writeRefusals = Effect.gen(function*() {
      const now = yield* Timestamp.now
      for (const [agentId, tables] of droppedRows) {
        const detail = [...tables].map(([table, rows]) =>
          `The project has reached its limit of ${limits[table]} ${table.replace("_", " ")} (${
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
