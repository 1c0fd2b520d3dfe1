import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Option, Schema } from "effect"
import { parse, ParseFailure } from "../../domain/kernel/CanonicalJson.ts"
import { AgentId, CommandId, Id, ProjectId, ScheduleId, ScheduleStreamId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { Claim } from "../../domain/schedules/Schedule/Claims.ts"
import {
  type Epoch,
  type ExternalSchedule,
  readExternalSchedule,
  sourceScopeOf
} from "../../domain/schedules/Schedule/External.ts"
import { BooleanColumn, JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, idIn, onPostgres, textIn } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"

/**
 * - `activating`: the agent was asked to publish, and its first snapshot has not arrived
 * - `live`: snapshots of the bound session arrive
 * - `failed`: the agent refused; it is asked again later
 * - `ended`: the bound session ended
 * - `not_allowed`: the project does not allow the scheduler
 */
export const StreamStatus = Schema.Literal("activating", "live", "failed", "ended", "not_allowed")
export type StreamStatus = typeof StreamStatus.Type

/** The schedules of one scheduler as one agent publishes them: bound to one session, in one epoch at a time. */
export const ScheduleStream = Schema.Struct({
  stream_id: ScheduleStreamId,
  project_id: ProjectId,
  agent_id: AgentId,
  scheduler: Schema.String,
  /** The session that publishes, and its process. */
  worker_id: Schema.String,
  session_id: Schema.String,
  epoch_uuid: Id,
  /** Grows with each activation, whichever replica activates. */
  epoch_number: Schema.Int,
  adapter_instance_id: Schema.String,
  /** Of the newest accepted publication of the epoch; 0: none yet. */
  accepted_sequence: Schema.Int,
  snapshot_digest: Schema.NullOr(Schema.String),
  schedule_count: Schema.Int,
  status: StreamStatus,
  /** The activation. */
  command_id: Schema.NullOr(CommandId),
  /** What the scheduler can do, as its process says. */
  capabilities: JsonColumn(Schema.Array(Schema.String)),
  activated_at: Timestamp,
  snapshot_at: Schema.NullOr(Timestamp),
  ended_at: Schema.NullOr(Timestamp),
  /** When the agent read its newest snapshot, by its own clock. */
  observed_at: Schema.NullOr(Timestamp),
  /** Whether the schedules of the ended stream have their next run in `due_at`. */
  is_awaited: BooleanColumn,
  /** Why the newest activation or publication was refused; null after an accepted one. */
  error: Schema.NullOr(Schema.String),
  error_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
})
export type ScheduleStream = typeof ScheduleStream.Type
const encode = Schema.encodeSync(ScheduleStream)

/** A stream with the names that people know. */
export type NamedStream = ScheduleStream & { readonly agent_name: string; readonly project_slug: string }

export const epochOf = (stream: ScheduleStream): Epoch => ({
  stream_id: stream.stream_id,
  epoch_uuid: stream.epoch_uuid,
  epoch_number: stream.epoch_number,
  owner: stream.scheduler,
  source_scope: sourceScopeOf(stream.scheduler),
  adapter_instance_id: stream.adapter_instance_id
})

/** Streams of an agent: names of schedulers are free text, so that they need a bound. */
const maxStreams = 64

/** A stream whose schedules have no next run yet. */
export interface EndedStream {
  readonly stream_id: ScheduleStreamId
  readonly ended_at: Timestamp
}

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

const claimColumns = {
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

type EpochKey = Pick<ScheduleStream, "stream_id" | "epoch_number">

/**
 * The streams of agents, and what each has published last: its claims, a row for each of its schedules. Long, because it
 * has each statement of both tables once.
 */
export class StreamsRepo extends Effect.Service<StreamsRepo>()("svc/StreamsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const allRows = rowsOf(ScheduleStream)
    const firstRow = firstRowOf(ScheduleStream)
    const isEpoch = ({ epoch_number, stream_id }: EpochKey) =>
      sql`stream_id = ${stream_id} AND epoch_number = ${epoch_number}`
    const claimNames = Object.keys(claimColumns)
    const claimList = sql.literal(claimNames.join(", "))
    const overwritten = sql.literal(claimNames.slice(2).map((name) => `${name} = excluded.${name}`).join(", "))

    return {
      /** By scheduler, the order in which the streams of several schedulers are locked. */
      listByAgents: (agentIds: ReadonlyArray<AgentId>) =>
        allRows(
          sql`SELECT * FROM schedule_streams WHERE agent_id IN ${sql.in(agentIds)} ORDER BY scheduler, stream_id`
        ),
      listByProject: (projectId: ProjectId) =>
        allRows(read`SELECT * FROM schedule_streams WHERE project_id = ${projectId} ORDER BY scheduler, stream_id`),
      /** The streams of all projects. */
      listNamed: rowsOf(
        Schema.Struct({ ...ScheduleStream.fields, agent_name: Schema.String, project_slug: Schema.String })
      )(
        read`SELECT s.*, a.name AS agent_name, p.slug AS project_slug FROM schedule_streams s
          JOIN agents a ON a.id = s.agent_id JOIN projects p ON p.id = s.project_id
          ORDER BY p.slug, s.scheduler, a.name, s.stream_id`
      ),
      /** Lets agents that refused to publish be asked again at once. */
      retryFailed: (projectId: ProjectId, now: Timestamp) =>
        sql`UPDATE schedule_streams SET status = 'ended', ended_at = ${now}
          WHERE project_id = ${projectId} AND status = 'failed'`,
      find: (id: ScheduleStreamId) => firstRow(read`SELECT * FROM schedule_streams WHERE stream_id = ${id}`),
      /**
       * The stream, or null, after all streams of its scheduler in the project are locked until the transaction ends. Each
       * change of the scheduler's schedules begins with this; a deletion of the project waits for the project's lock.
       */
      lock: (projectId: ProjectId, id: ScheduleStreamId) =>
        Effect.zipRight(
          sql`SELECT 1 FROM projects WHERE id = ${projectId} ${onPostgres(sql, "FOR KEY SHARE")}`,
          Effect.map(
            allRows(sql`SELECT * FROM schedule_streams WHERE project_id = ${projectId}
              AND scheduler = (SELECT scheduler FROM schedule_streams WHERE stream_id = ${id})
              ORDER BY stream_id ${forUpdate(sql)}`),
            (all) => all.find(({ stream_id }) => stream_id === id) ?? null
          )
        ),
      /** Open streams whose session is gone: its replica ended without ending them. */
      listAbandoned: (activatedBefore: Timestamp) =>
        allRows(sql`SELECT s.* FROM schedule_streams s
          WHERE s.status IN ('activating', 'live') AND s.activated_at < ${activatedBefore} AND NOT EXISTS (
            SELECT 1 FROM agent_workers w WHERE w.agent_id = s.agent_id AND w.worker_id = s.worker_id
              AND w.session_id = s.session_id AND w.state = 'online')
          ORDER BY s.stream_id`),
      /** None where the agent has a stream of the scheduler, or too many streams. */
      insert: (stream: ScheduleStream) =>
        firstRow(sql`INSERT INTO schedule_streams ${sql.insert(encode(stream))}
          ON CONFLICT (agent_id, scheduler) DO NOTHING RETURNING *`),
      hasCapacity: (agentId: AgentId) =>
        Effect.map(
          sql`SELECT 1 FROM schedule_streams WHERE agent_id = ${agentId} LIMIT ${maxStreams}`,
          (rows) => rows.length < maxStreams
        ),
      /** Replaces the stream of the epoch before. None where another replica has begun an epoch since. */
      replace: (stream: ScheduleStream, before: EpochKey) =>
        firstRow(
          sql`UPDATE schedule_streams SET ${sql.update(encode(stream), ["stream_id"])} WHERE ${
            isEpoch(before)
          } RETURNING *`
        ),
      update: (stream: ScheduleStream) =>
        sql`UPDATE schedule_streams SET ${
          sql.update(encode(stream), ["stream_id"])
        } WHERE stream_id = ${stream.stream_id}`,
      /** Notes why a publication was refused; the stream continues. */
      noteError: (epoch: EpochKey, error: string, at: Timestamp) =>
        sql`UPDATE schedule_streams SET error = ${error}, error_at = ${at} WHERE ${isEpoch(epoch)}`,
      /** Why activations failed, of those that have. */
      listFailedActivations: (ids: ReadonlyArray<ScheduleStreamId>) =>
        sql<{ readonly stream_id: ScheduleStreamId; readonly epoch_number: number; readonly error: string | null }>`
          SELECT s.stream_id, s.epoch_number, c.error
          FROM schedule_streams s JOIN commands c ON c.id = s.command_id
          WHERE s.status = 'activating' AND c.status IN ('failed', 'timeout', 'cancelled')
            AND s.stream_id IN ${sql.in(ids)}`,
      /** `allowed_schedulers` of the projects that limit them. */
      listAllowed: (projectIds: ReadonlyArray<ProjectId>) =>
        Effect.map(
          rowsOf(Schema.Struct({ id: ProjectId, allowed_schedulers: JsonColumn(Schema.Array(Schema.String)) }))(
            sql`SELECT id, allowed_schedulers FROM projects WHERE ${
              idIn(sql, projectIds)
            } AND allowed_schedulers IS NOT NULL`
          ),
          (rows) => new Map(rows.map(({ allowed_schedulers, id }) => [id, allowed_schedulers]))
        ),
      /** Ended streams whose schedules have no next run yet. */
      listUnawaited: (endedBefore: Timestamp, limit: number) =>
        sql<EndedStream>`SELECT stream_id, ended_at FROM schedule_streams
          WHERE status IN ('ended', 'failed') AND is_awaited = 0 AND ended_at < ${endedBefore}
          ORDER BY stream_id LIMIT ${limit}`,
      /** False where the stream is open again. */
      markAwaited: ({ ended_at, stream_id }: EndedStream) =>
        hasRows(
          sql`UPDATE schedule_streams SET is_awaited = 1 WHERE stream_id = ${stream_id}
            AND status IN ('ended', 'failed') AND ended_at = ${ended_at} RETURNING 1`
        ),
      /** After a restore: agents refuse an epoch that is not higher than the one they know; the sessions are gone. */
      endAll: (now: Timestamp, gap: number) =>
        sql`UPDATE schedule_streams SET epoch_number = epoch_number + ${gap}, status = 'ended', ended_at = ${now},
          is_awaited = 0, error = NULL, error_at = NULL`,

      listClaims: (id: ScheduleStreamId) =>
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
      listClaimsOf: (ids: ReadonlyArray<ScheduleId>) =>
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
      findClaim: (id: ScheduleStreamId, sourceKey: string | null, name: string) =>
        Effect.map(
          firstRowOf(Claimed)(
            sql`SELECT schedule_id, projection FROM schedule_claims WHERE stream_id = ${id} AND ${
              sourceKey === null ? sql`name = ${name}` : sql`source_key = ${sourceKey}`
            } ORDER BY source_key LIMIT 1`
          ),
          Option.getOrNull
        ),
      writeClaims: (claims: ReadonlyArray<NewClaim>) =>
        Effect.forEach(
          Arr.chunksOf(claims, slice),
          (batch) =>
            sql`INSERT INTO schedule_claims (${claimList}) SELECT ${claimList} FROM ${
              recordset(
                sql,
                "r",
                claimColumns,
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
      deleteClaims: (id: ScheduleStreamId, keys: ReadonlyArray<string>) =>
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

export const isOpen = ({ status }: ScheduleStream): boolean => status === "activating" || status === "live"
