import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { parse, ParseFailure } from "../../domain/kernel/CanonicalJson.ts"
import type { AgentId, ProjectId, ScheduleId, ScheduleStreamId } from "../../domain/kernel/Id.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import type { Claim } from "../../domain/schedules/Schedule/Claims.ts"
import { type ExternalSchedule, readExternalSchedule } from "../../domain/schedules/Schedule/External.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, idIn } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { decodeSchedules, type ScheduleRow } from "./Repo.ts"

/** What decides whether a published row changes its claim. */
export interface StoredClaim {
  readonly source_key: string
  readonly schedule_id: ScheduleId
  readonly name: string
  readonly projection_digest: string
}

/** A claim as it is written. */
export interface NewClaim {
  readonly stream_id: ScheduleStreamId
  readonly schedule_id: ScheduleId
  readonly name: string
  readonly row: ExternalSchedule
}

interface ClaimRow {
  readonly stream_id: ScheduleStreamId
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly scheduler: string
  readonly status: string
  readonly schedule_id: ScheduleId
  readonly name: string
  readonly projection: string
}

const columns = {
  stream_id: "uuid",
  source_key: "text",
  schedule_id: "uuid",
  name: "text",
  projection: "text",
  projection_digest: "text",
  configuration: "text"
} as const

/** Rows of a statement: each takes about 20 µs of SQLite, which blocks the event loop. */
const slice = 200

const slicesOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / slice) }, (_, at) => items.slice(at * slice, (at + 1) * slice))

/** A stored projection was read before it was stored, so a failure is a defect. */
const readStored = (projection: string, scheduler: string): ExternalSchedule => {
  const node = parse(projection)
  const row = node instanceof ParseFailure ? "it is no JSON" : readExternalSchedule(node, scheduler)
  if (typeof row === "string") throw new Error(`a stored projection cannot be read: ${row}`)
  return row
}

const toClaim = ({ projection, scheduler, status, ...claim }: ClaimRow): Claim => ({
  ...claim,
  is_live: status === "live",
  row: readStored(projection, scheduler)
})

/** What the streams of agents have published last, a row for each schedule of a stream. */
export class ClaimsRepo extends Effect.Service<ClaimsRepo>()("svc/ClaimsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const names = Object.keys(columns)
    const columnList = sql.literal(names.join(", "))
    const overwritten = sql.literal(names.slice(2).map((name) => `${name} = excluded.${name}`).join(", "))
    const claimsOf = (on: SqlClient.SqlClient) =>
      on.literal(`SELECT c.stream_id, s.agent_id, a.name AS agent_name, s.scheduler, s.status, c.schedule_id, c.name,
        c.projection FROM schedule_claims c JOIN schedule_streams s ON s.stream_id = c.stream_id
        JOIN agents a ON a.id = s.agent_id`)
    const keysIn = (keys: ReadonlyArray<string>) =>
      sql`IN (SELECT r.source_key FROM ${
        recordset(sql, "r", { source_key: "text" }, keys.map((source_key) => ({ source_key })))
      })`
    const namesIn = (list: ReadonlyArray<string>) =>
      sql`IN (SELECT r.name FROM ${recordset(sql, "r", { name: "text" }, list.map((name) => ({ name })))})`
    const idsIn = (ids: ReadonlyArray<ScheduleId>) =>
      sql`IN (SELECT r.id FROM ${recordset(sql, "r", { id: "uuid" }, ids.map((id) => ({ id })))})`

    return {
      listOfStream: (id: ScheduleStreamId) =>
        sql<StoredClaim>`SELECT source_key, schedule_id, name, projection_digest FROM schedule_claims
          WHERE stream_id = ${id}`,
      /** Schedules of the stream that other streams claim too. */
      listShared: (id: ScheduleStreamId) =>
        Effect.map(
          sql<{ readonly schedule_id: ScheduleId }>`SELECT DISTINCT c.schedule_id FROM schedule_claims c
            JOIN schedule_claims o ON o.schedule_id = c.schedule_id AND o.stream_id <> c.stream_id
            WHERE c.stream_id = ${id}`,
          (rows) => rows.map(({ schedule_id }) => schedule_id)
        ),
      listOfSchedules: (ids: ReadonlyArray<ScheduleId>) =>
        Effect.map(
          sql<ClaimRow>`${claimsOf(sql)} WHERE c.schedule_id ${idsIn(ids)} ORDER BY c.stream_id, c.source_key`,
          (rows) => rows.map(toClaim)
        ),
      /** What the stream that is shown has published last of a schedule: all digits, and with its secrets. */
      find: (schedule: Pick<Schedule, "id" | "stream_id" | "source_key">) =>
        Effect.map(
          read<ClaimRow>`${claimsOf(read)} WHERE c.stream_id = ${schedule.stream_id}
            AND c.source_key = ${schedule.source_key} AND c.schedule_id = ${schedule.id}`,
          ([row]) => row === undefined ? null : toClaim(row)
        ),
      write: (claims: ReadonlyArray<NewClaim>) =>
        Effect.forEach(
          slicesOf(claims),
          (some) =>
            sql`INSERT INTO schedule_claims (${columnList}) SELECT ${columnList} FROM ${
              recordset(
                sql,
                "r",
                columns,
                some.map(({ name, row, schedule_id, stream_id }) => ({
                  stream_id,
                  source_key: row.source_key,
                  schedule_id,
                  name,
                  projection: row.projection,
                  projection_digest: row.projection_digest,
                  configuration: row.configuration
                }))
              )
            } WHERE true ON CONFLICT (stream_id, source_key) DO UPDATE SET ${overwritten}`,
          { discard: true }
        ),
      delete: (id: ScheduleStreamId, keys: ReadonlyArray<string>) =>
        Effect.forEach(
          slicesOf(keys),
          (some) => sql`DELETE FROM schedule_claims WHERE stream_id = ${id} AND source_key ${keysIn(some)}`,
          { discard: true }
        ),

      /** Schedules of the scheduler with one of these keys or names. */
      listSchedules: (
        projectId: ProjectId,
        scheduler: string,
        wanted: { readonly keys: ReadonlyArray<string>; readonly names: ReadonlyArray<string> }
      ) =>
        sql<{ readonly id: ScheduleId; readonly name: string; readonly source_key: string | null }>`
          SELECT id, name, source_key FROM schedules WHERE project_id = ${projectId} AND scheduler = ${scheduler}
            AND (source_key ${keysIn(wanted.keys)} OR name ${namesIn(wanted.names)}) ORDER BY id`,
      /** The schedules, locked until the transaction ends. */
      lockSchedules: (ids: ReadonlyArray<ScheduleId>) =>
        Effect.map(
          sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)} ORDER BY id ${forUpdate(sql)}`,
          decodeSchedules
        ),
      /** Gives the schedules names that no other one has, so that two of them can exchange theirs. */
      releaseNames: (ids: ReadonlyArray<ScheduleId>) =>
        sql`UPDATE schedules SET name = CAST(id AS TEXT) WHERE ${idIn(sql, ids)}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
