import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, idIn } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { decodeSchedules, type ScheduleRow, toRow } from "./Repo.ts"

const columnTypes = {
  id: "uuid",
  project_id: "uuid",
  engine: "text",
  scheduler: "text",
  name: "text",
  task_name: "text",
  kind: "text",
  expression: "text",
  timezone: "text",
  queue: "text",
  args: "text",
  kwargs: "text",
  is_enabled: "integer",
  last_run_at: "text",
  next_run_at: "text",
  due_at: "text",
  cursor_at: "text",
  total_runs: "bigint",
  external_id: "text",
  catch_up: "text",
  on_unknown_outcome: "text",
  jitter_seconds: "integer",
  grace_seconds: "integer",
  paused_at: "text",
  source: "text",
  source_hash: "text",
  imported_digest: "text",
  stream_id: "uuid",
  source_key: "text",
  control_token: "uuid",
  legacy_fire_control_token: "uuid",
  schedule_revision: "bigint",
  quarantine_control_token: "uuid",
  quarantine_code: "text",
  quarantine_detail: "text",
  quarantined_at: "text",
  anchor_at: "text",
  enabled_at: "text",
  created_at: "text",
  updated_at: "text"
} satisfies Record<keyof ScheduleRow, "uuid" | "text" | "integer" | "bigint">

/** Schedules of a statement: each takes about 40 µs of SQLite, which blocks the event loop. */
const slice = 100

/** The keys of a snapshot, and the source whose other schedules it replaces. */
export interface Snapshot {
  readonly projectId: ProjectId
  readonly scheduler: string
  readonly names: ReadonlyArray<string>
  readonly source: string | null
}

const slicesOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / slice) }, (_, at) => items.slice(at * slice, (at + 1) * slice))

/** Many schedules at once. */
export class ScheduleImportsRepo extends Effect.Service<ScheduleImportsRepo>()("svc/ScheduleImportsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columnNames = Object.keys(columnTypes)
    const columns = sql.literal(columnNames.join(", "))
    const overwritten = sql.literal(
      columnNames.filter((name) => name !== "id").map((name) => `${name} = excluded.${name}`).join(", ")
    )

    const select = (on: SqlClient.SqlClient, { names, projectId, scheduler, source }: Snapshot) =>
      on<ScheduleRow>`SELECT * FROM schedules WHERE project_id = ${projectId} AND scheduler = ${scheduler}
        AND (name IN (SELECT r.name FROM ${recordset(on, "r", { name: "text" }, names.map((name) => ({ name })))})
          ${source === null ? on`` : on`OR source = ${source}`})
        ORDER BY id`

    return {
      list: (snapshot: Snapshot) => Effect.map(select(read, snapshot), decodeSchedules),
      /** Locked until the transaction ends. */
      lock: (snapshot: Snapshot) =>
        Effect.map(sql<ScheduleRow>`${select(sql, snapshot)} ${forUpdate(sql)}`, decodeSchedules),
      /** Inserts the schedules, and overwrites those whose id exists. */
      write: (schedules: ReadonlyArray<Schedule>) =>
        Effect.forEach(
          slicesOf(schedules),
          (some) =>
            sql`INSERT INTO schedules (${columns}) SELECT ${columns}
              FROM ${recordset(sql, "r", columnTypes, some.map(toRow))} WHERE true
              ON CONFLICT (id) DO UPDATE SET ${overwritten}`,
          { discard: true }
        ),
      delete: (schedules: ReadonlyArray<Schedule>) =>
        Effect.forEach(
          slicesOf(schedules),
          (some) => sql`DELETE FROM schedules WHERE ${idIn(sql, some.map(({ id }) => id))}`,
          { discard: true }
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
