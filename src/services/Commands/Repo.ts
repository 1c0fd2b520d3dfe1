import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { type Command, type CommandStatus } from "../../domain/Command.ts"
import { type NoteFacts, writeNote } from "../../domain/Command/Note.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { Reader } from "../Database.ts"
import { pageBytes, takeWithin, type RowSize } from "../PageBytes.ts"
import { recordset } from "../Recordset.ts"
import type { InitialState } from "./Admission.ts"

/** What a new row holds. */
export interface NewCommand extends InitialState {
  readonly id: string
  readonly project_id: string
  readonly agent_id: string
  readonly issued_by: string | null
  readonly action: string
  readonly engine: string | null
  readonly target_type: string
  readonly target_id: string | null
  readonly payload: string
  readonly sealed_payload: string | null
  readonly idempotency_key: string | null
  readonly request_hash: string | null
  readonly issued_at: Timestamp
  readonly timeout_at: Timestamp
  /** When it was issued, for one that ended at once. */
  readonly completed_at: Timestamp | null
}

/** A row without its note. */
export type CommandRow = Omit<Command, "note">

const insertColumnTypes = {
  id: "uuid",
  project_id: "uuid",
  agent_id: "uuid",
  issued_by: "uuid",
  action: "text",
  engine: "text",
  target_type: "text",
  target_id: "text",
  payload: "text",
  sealed_payload: "text",
  idempotency_key: "text",
  request_hash: "text",
  status: "text",
  result: "text",
  error: "text",
  issued_at: "text",
  timeout_at: "text",
  completed_at: "text"
} satisfies Record<keyof NewCommand, "uuid" | "text">

/** A row with what its note is made of. */
type RowWithNoteFacts = CommandRow & NoteFacts

const withNote = ({ agent_name, agent_seen_at, agent_state, engine, is_served, task_state, ...command }: RowWithNoteFacts): Command => ({
  ...command,
  note: writeNote(command, { agent_name, agent_seen_at, agent_state, engine, is_served, task_state })
})

const columns = [
  "id",
  "project_id",
  "agent_id",
  "issued_by",
  "action",
  "target_type",
  "target_id",
  "payload",
  "status",
  "result",
  "error",
  "issued_at",
  "dispatched_at",
  "completed_at",
  "timeout_at"
]

/** Commands as people issue, see and cancel them. */
export class CommandsRepo extends Effect.Service<CommandsRepo>()("svc/CommandsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const returnedColumns = sql.literal(columns.join(", "))
    const notedColumns = sql.literal(columns.map((column) => `c.${column}`).join(", "))
    /** Commands with what their notes are made of. A process that says nothing of its engines may serve any. */
    const selectWithFacts = read`SELECT ${notedColumns}, c.engine, a.name AS agent_name, a.state AS agent_state, a.last_seen_at AS agent_seen_at,
        CASE WHEN c.status = 'pending' AND EXISTS (SELECT 1 FROM agent_workers w WHERE w.agent_id = c.agent_id AND w.state = 'online'
          AND (w.engines = '[]' OR w.engines LIKE '%"' || c.engine || '"%')) THEN 1 ELSE 0 END AS is_served, t.state AS task_state
      FROM commands c LEFT JOIN agents a ON a.id = c.agent_id
      LEFT JOIN tasks t ON c.action = 'cancel_task'
        AND t.project_id = c.project_id AND t.engine = c.engine AND t.task_id = c.target_id`
    const insertColumns = sql.literal(Object.keys(insertColumnTypes).join(", "))

    /** Answers the rows that were inserted: not those whose idempotency key another command has. */
    const insert = (commands: ReadonlyArray<NewCommand>) =>
      sql<CommandRow>`INSERT INTO commands (${insertColumns})
        SELECT ${insertColumns} FROM ${recordset(sql, "r", insertColumnTypes, commands)} WHERE true
        ON CONFLICT DO NOTHING RETURNING ${returnedColumns}`

    const findById = (projectId: string, id: string) =>
      Effect.map(
        read<RowWithNoteFacts>`${selectWithFacts} WHERE c.project_id = ${projectId} AND c.id = ${id}`,
        (rows) => Option.map(Option.fromNullable(rows[0]), withNote)
      )

    /** Id of the command of an idempotency key that was issued after `since`, and the fingerprint of its request. */
    const findByIdempotencyKey = (projectId: string, key: string, since: Timestamp) =>
      Effect.map(
        sql<{ readonly id: string; readonly request_hash: string }>`SELECT id, request_hash FROM commands
          WHERE project_id = ${projectId} AND idempotency_key = ${key} AND issued_at > ${since}`,
        (rows) => Option.fromNullable(rows[0])
      )

    /** Frees an idempotency key whose command is older than the keys live. */
    const releaseIdempotencyKey = (projectId: string, key: string, before: Timestamp) =>
      sql`UPDATE commands SET idempotency_key = NULL
        WHERE project_id = ${projectId} AND idempotency_key = ${key} AND issued_at <= ${before}`

    /** Newest first, after the id `after`: at most `limit` rows and the one behind them, fewer when they are large. */
    const listPage = Effect.fnUntraced(function*(
      projectId: string,
      status: CommandStatus | null,
      after: string | null,
      limit: number
    ) {
      const ids = yield* read<RowSize>`
        SELECT id, octet_length(payload) + coalesce(octet_length(result), 0) AS bytes FROM commands
        WHERE ${
        read.and([
          read`project_id = ${projectId}`,
          ...(status === null ? [] : [read`status = ${status}`]),
          ...(after === null ? [] : [read`id < ${after}`])
        ])
      } ORDER BY id DESC LIMIT ${limit + 1}`
      const pageIds = takeWithin(ids, pageBytes).slice(0, limit).map(({ id }) => id)
      const rows = pageIds.length === 0
        ? []
        : yield* read<RowWithNoteFacts>`${selectWithFacts}
          WHERE c.project_id = ${projectId} AND c.id IN ${read.in(pageIds)} ORDER BY c.id DESC`
      return { rows: rows.map(withNote), more: ids.length > pageIds.length }
    })

    /** The row as it is now cancelled, or none when it was not pending (any more). */
    const cancel = (projectId: string, id: string, at: Timestamp, error: string) =>
      Effect.map(
        sql<CommandRow>`UPDATE commands
          SET status = 'cancelled', error = ${error}, completed_at = ${at}, sealed_payload = NULL
          WHERE project_id = ${projectId} AND id = ${id} AND status = 'pending' RETURNING ${returnedColumns}`,
        (rows): Option.Option<Command> => Option.map(Option.fromNullable(rows[0]), (row) => ({ ...row, note: null }))
      )

    /** The name of a task, where one is known. */
    const findTaskName = (projectId: string, engine: string, taskId: string) =>
      Effect.map(
        read<{ readonly name: string }>`SELECT name FROM tasks
          WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${taskId}`,
        (rows) => Option.fromNullable(rows[0]?.name)
      )

    /** Those of the ids that are tasks of the project and engine, with their names. */
    const listTaskNames = (projectId: string, engine: string, taskIds: ReadonlyArray<string>) =>
      read<{ readonly task_id: string; readonly name: string }>`SELECT task_id, name FROM tasks
        WHERE project_id = ${projectId} AND engine = ${engine} AND task_id IN ${read.in(taskIds)}`

    interface Engine {
      readonly engine: string
    }
    const mapEngines = Effect.map((rows: ReadonlyArray<Engine>) => rows.map((row) => row.engine))

    /** The engines that an agent last told of; none when it is no agent of the project. */
    const findAgentEngines = (projectId: string, agentId: string) =>
      Effect.map(
        read<{ readonly engine_adapters: string }>`SELECT engine_adapters FROM agents
          WHERE project_id = ${projectId} AND id = ${agentId}`,
        (rows) =>
          Option.map(
            Option.fromNullable(rows[0]),
            ({ engine_adapters }): ReadonlyArray<string> => JSON.parse(engine_adapters) // what the gateway wrote
          )
      )

    /** The worker ids of the agent's online processes that serve the engine; the agent's own id stands for a process without one. */
    const listOnlineProcesses = (agentId: string, engine: string) =>
      Effect.map(
        read<{ readonly worker_id: string; readonly engines: string }>`SELECT worker_id, engines FROM agent_workers
          WHERE agent_id = ${agentId} AND state = 'online' ORDER BY worker_id`,
        (rows) =>
          rows.flatMap(({ engines, worker_id }) => {
            const served: ReadonlyArray<string> = JSON.parse(engines) // what the gateway wrote
            return served.length === 0 || served.includes(engine) ? [worker_id] : []
          })
      )

    const listQueueEngines = (projectId: string, name: string) =>
      mapEngines(read<Engine>`SELECT engine FROM queues WHERE project_id = ${projectId} AND name = ${name}`)

    const listWorkerEngines = (projectId: string, name: string) =>
      mapEngines(read<Engine>`SELECT engine FROM workers WHERE project_id = ${projectId} AND name = ${name}`)

    /** Of the latest task of that name. */
    const listTaskEngines = (projectId: string, name: string) =>
      mapEngines(read<Engine>`SELECT engine FROM tasks
        WHERE project_id = ${projectId} AND name = ${name} ORDER BY id DESC LIMIT 1`)

    return {
      insert,
      findById,
      findByIdempotencyKey,
      releaseIdempotencyKey,
      listPage,
      cancel,
      findTaskName,
      listTaskNames,
      findAgentEngines,
      listOnlineProcesses,
      listQueueEngines,
      listWorkerEngines,
      listTaskEngines
    } as const
  })
}) {
  static readonly layer = this.Default
}
