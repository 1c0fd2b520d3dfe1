import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Schema } from "effect"
import {
  isExecuted,
  isPauseOver,
  isReportedSince,
  type PauseFacts,
  pauseInEngine,
  pauseStatusOf,
  type QueuePause
} from "../../../domain/agents/QueuePause.ts"
import { AgentId, CommandId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"

/** A queue of a project. */
export interface QueueKey {
  readonly project_id: ProjectId
  readonly engine: string
  readonly queue: string
}

/** A pause by a command. */
export interface NewPause extends QueueKey {
  readonly agent_id: AgentId
  readonly command_id: CommandId
  readonly reason: string
  readonly paused_by: UserId | null
  readonly paused_at: Timestamp
  readonly resume_at: Timestamp | null
}

const text = Schema.NullOr(Schema.String)

const pauseRows = rowsOf(Schema.Struct({
  project_id: ProjectId,
  engine: Schema.String,
  queue: Schema.String,
  agent_id: AgentId,
  command_id: CommandId,
  reason: Schema.String,
  paused_by: Schema.NullOr(UserId),
  paused_by_name: text,
  paused_at: Timestamp,
  resume_at: Schema.NullOr(Timestamp),
  resume_command_id: Schema.NullOr(CommandId),
  reported: Schema.NullOr(Schema.Number),
  reported_at: Schema.NullOr(Timestamp),
  pause_status: text,
  pause_ended_at: Schema.NullOr(Timestamp),
  resume_status: text,
  resume_ended_at: Schema.NullOr(Timestamp)
}))
type PauseRow = Effect.Effect.Success<ReturnType<typeof pauseRows>>[number]

const factsOf = (row: PauseRow): PauseFacts => ({
  reported: row.reported,
  reportedAt: row.reported_at,
  pauseStatus: row.pause_status,
  pauseEndedAt: row.pause_ended_at ?? row.paused_at,
  resumeStatus: row.resume_status,
  resumeEndedAt: row.resume_ended_at
})

/** The rows of each queue, in their order. */
const groupByQueue = (rows: ReadonlyArray<PauseRow>) =>
  Object.values(Arr.groupBy(rows, ({ engine, project_id, queue }) => JSON.stringify([project_id, engine, queue])))

/** Pauses of queues by commands, with what commands and engines say of them. */
export const makeQueuePauses = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader

  /**
   * Of a project, or of all. There are few: a row ends with its pause. Of several of a queue the latest counts whose
   * command was, or may yet be, executed; the ones before it have ended with it.
   */
  const list = (projectId: ProjectId | null, now: Timestamp) =>
    Effect.map(
      pauseRows(
        read`SELECT p.*, u.display_name AS paused_by_name, q.paused AS reported, q.pause_reported_at AS reported_at,
          c.status AS pause_status, c.completed_at AS pause_ended_at,
          r.status AS resume_status, r.completed_at AS resume_ended_at
        FROM queue_pauses p
        LEFT JOIN users u ON u.id = p.paused_by
        LEFT JOIN queues q ON q.project_id = p.project_id AND q.engine = p.engine AND q.name = p.queue
        LEFT JOIN commands c ON c.id = p.command_id
        LEFT JOIN commands r ON r.id = p.resume_command_id
        ${projectId === null ? read.literal("") : read`WHERE p.project_id = ${projectId}`}
        ORDER BY p.paused_at DESC, p.command_id DESC`
      ),
      (rows) => {
        const queues = groupByQueue(rows).map((rows) => {
          const pause = rows.find((row) => isExecuted(row.pause_status)) ?? rows[0]
          const isReplaced = (n: number) => pause.pause_status === "completed" && n > rows.indexOf(pause)
          return { pause, over: rows.filter((row, n) => isPauseOver(factsOf(row), now) || isReplaced(n)) }
        })
        return {
          pauses: queues.map(({ pause }) => ({ ...pause, status: pauseStatusOf(factsOf(pause)) })),
          /** Their rows are needed no more. */
          over: queues.flatMap(({ over }) => over)
        }
      }
    )

  const insert = (pause: NewPause) => sql`INSERT INTO queue_pauses ${sql.insert({ ...pause, resume_command_id: null })}`

  /** Stores the command that should end the queue's pauses, if there are any. */
  const setResuming = ({ engine, project_id, queue }: QueueKey, commandId: CommandId) =>
    sql`UPDATE queue_pauses SET resume_command_id = ${commandId}
      WHERE project_id = ${project_id} AND engine = ${engine} AND queue = ${queue}`

  /** Of several replicas only one stores its command. */
  const replaceResuming = (
    { command_id, resume_command_id }: Pick<PauseRow, "command_id" | "resume_command_id">,
    commandId: CommandId
  ) =>
    Effect.map(
      sql`UPDATE queue_pauses SET resume_command_id = ${commandId} WHERE command_id = ${command_id}
        AND ${
        resume_command_id === null ? sql`resume_command_id IS NULL` : sql`resume_command_id = ${resume_command_id}`
      }
        RETURNING command_id`,
      (rows) => rows.length > 0
    )

  const remove = (commandIds: ReadonlyArray<CommandId>) =>
    commandIds.length === 0 ? Effect.void : sql`DELETE FROM queue_pauses WHERE ${sql.in("command_id", commandIds)}`

  return { list, insert, setResuming, replaceResuming, remove } as const
})

export type QueuePauses = Effect.Effect.Success<typeof makeQueuePauses>
export type StoredPause = Effect.Effect.Success<ReturnType<QueuePauses["list"]>>["pauses"][number]

/** The pause of a queue as people see it: by its command, else as its engine reports it. */
export const pauseOf = (
  reported: number | null,
  stored: StoredPause | undefined
): QueuePause | null =>
  stored === undefined || stored.status === null
    ? (reported === 1 && (stored === undefined || isReportedSince(factsOf(stored))) ? pauseInEngine : null)
    : {
      status: stored.status,
      reason: stored.reason,
      paused_by: stored.paused_by === null ? null : { id: stored.paused_by, name: stored.paused_by_name },
      paused_at: stored.paused_at,
      resume_at: stored.resume_at,
      command_id: stored.command_id,
      agent_id: stored.agent_id
    }
