import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Option, Schema } from "effect"
import { parse, ParseFailure } from "../../domain/kernel/CanonicalJson.ts"
import { type AgentId, ScheduleId, type ScheduleStreamId } from "../../domain/kernel/Id.ts"
import type { Claim, NewClaim, StoredClaim } from "../../domain/schedules/Schedule/Claims.ts"
import { type ExternalSchedule, readExternalSchedule } from "../../domain/schedules/Schedule/External.ts"
import { idIn, textIn } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { firstRowOf } from "../kernel/sql/Rows.ts"

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

/** Claims of a statement: each takes about 20 µs of SQLite, which blocks the event loop. */
const slice = 200

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

const Claimed = Schema.Struct({ schedule_id: ScheduleId, projection: Schema.String })

/** What each stream has published last: a row for each of its schedules. */
export class ClaimsRepo extends Effect.Service<ClaimsRepo>()("svc/ClaimsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columnNames = Object.keys(columns)
    const columnList = sql.literal(columnNames.join(", "))
    const overwritten = sql.literal(columnNames.slice(2).map((name) => `${name} = excluded.${name}`).join(", "))

    return {
      list: (id: ScheduleStreamId) =>
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
      /** What all streams say of these schedules. */
      listBySchedules: (ids: ReadonlyArray<ScheduleId>) =>
        Effect.map(
          sql<
            ClaimRow
          >`SELECT c.stream_id, s.agent_id, a.name AS agent_name, s.scheduler, s.status, c.schedule_id, c.name,
              c.projection
            FROM schedule_claims c JOIN schedule_streams s ON s.stream_id = c.stream_id JOIN agents a ON a.id = s.agent_id
            WHERE ${idIn(sql, ids, "c.schedule_id")} ORDER BY c.stream_id, c.source_key`,
          (rows) => rows.map(toClaim)
        ),
      /** What the stream has published last of a schedule, by its key or else its name; null: nothing. */
      find: (id: ScheduleStreamId, sourceKey: string | null, name: string) =>
        Effect.map(
          firstRowOf(Claimed)(
            sql`SELECT schedule_id, projection FROM schedule_claims WHERE stream_id = ${id} AND ${
              sourceKey === null ? sql`name = ${name}` : sql`source_key = ${sourceKey}`
            } ORDER BY source_key LIMIT 1`
          ),
          Option.getOrNull
        ),
      write: (claims: ReadonlyArray<NewClaim>) =>
        Effect.forEach(
          Arr.chunksOf(claims, slice),
          (batch) =>
            sql`INSERT INTO schedule_claims (${columnList}) SELECT ${columnList} FROM ${
              recordset(
                sql,
                "r",
                columns,
                batch.map(({ row: { configuration, projection, projection_digest, source_key }, ...claim }) => ({
                  ...claim,
                  source_key,
                  projection,
                  projection_digest,
                  configuration
                }))
              )
            } WHERE true ON CONFLICT (stream_id, source_key) DO UPDATE SET ${overwritten}`,
          { discard: true }
        ),
      delete: (id: ScheduleStreamId, keys: ReadonlyArray<string>) =>
        Effect.forEach(
          Arr.chunksOf(keys, slice),
          (batch) => sql`DELETE FROM schedule_claims WHERE stream_id = ${id} AND ${textIn(sql, batch, "source_key")}`,
          { discard: true }
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
