import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { type AgentId, ProjectId, type ScheduleStreamId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { ScheduleStream } from "../../domain/schedules/Schedule/Stream.ts"
import { BooleanColumn, JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, idIn, onPostgres } from "../kernel/sql/Dialect.ts"
import { firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"

const Row = Schema.Struct({
  ...ScheduleStream.fields,
  capabilities: JsonColumn(ScheduleStream.fields.capabilities),
  is_awaited: BooleanColumn
})
const encode = Schema.encodeSync(Row)

/** A stream with the names that people know. */
export type NamedStream = ScheduleStream & { readonly agent_name: string; readonly project_slug: string }

/** Streams of an agent: names of schedulers are free text, so that they need a bound. */
const maxStreams = 64

type EpochKey = Pick<ScheduleStream, "stream_id" | "epoch_number">

/** The streams of agents. What each has published last: `ClaimsRepo.ts`. */
export class StreamsRepo extends Effect.Service<StreamsRepo>()("svc/StreamsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const allRows = rowsOf(Row)
    const firstRow = firstRowOf(Row)
    const isEpoch = ({ epoch_number, stream_id }: EpochKey) =>
      sql`stream_id = ${stream_id} AND epoch_number = ${epoch_number}`

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
        Schema.Struct({ ...Row.fields, agent_name: Schema.String, project_slug: Schema.String })
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
      /** After a restore: agents refuse an epoch that is not higher than the one they know; the sessions are gone. */
      endAll: (now: Timestamp, gap: number) =>
        sql`UPDATE schedule_streams SET epoch_number = epoch_number + ${gap}, status = 'ended', ended_at = ${now},
          is_awaited = 0, error = NULL, error_at = NULL`
    } as const
  })
}) {
  static readonly layer = this.Default
}
