import { SqlClient, type Statement } from "@effect/sql"
import { Array as Arr, Effect, Option } from "effect"
import type { PoolReport } from "../../domain/agents/Worker.ts"
import type { Command, CommandStatus } from "../../domain/commands/Command.ts"
import { type NoteFacts, writeNote } from "../../domain/commands/Command/Note.ts"
import { targetNameOf } from "../../domain/commands/Command/TargetName.ts"
import type { CommandId, ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { SqliteConnection, SqliteStatement } from "../../sqlite/Connection.ts"
import { boundsOfPart } from "../kernel/Ids.ts"
import { pageBytes, type RowSize, takeWithin } from "../kernel/PageBytes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { PreparedReads } from "../kernel/sql/PreparedReads.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import type { CommandRow, NewCommand } from "./Model.ts"

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
  bound_session_id: "text",
  bulk_job_id: "uuid",
  worker_before: "text",
  status: "text",
  result: "text",
  error: "text",
  issued_at: "text",
  timeout_at: "text",
  completed_at: "text"
} satisfies Record<keyof NewCommand, "uuid" | "text">

/** A row with what other tables say of it. */
interface RowWithFacts extends CommandRow, Omit<NoteFacts, "worker"> {
  readonly worker_name: string | null
  readonly worker_state: string | null
  readonly worker_concurrency: number | null
  readonly worker_queues: string | null
  readonly worker_metadata: string | null
  readonly worker_before: string | null
}

/** What a heartbeat writes into a worker's metadata (`Presence/AdapterHealth.ts`). */
interface PoolMetadata {
  readonly pool?: { readonly implementation?: unknown }
  readonly process_ids?: ReadonlyArray<number> | null
  readonly described_at?: Timestamp | null
}

/** A command as people read it. */
export const addFacts = (row: CommandRow, facts: NoteFacts): Command => ({
  ...row,
  target_name: targetNameOf(row, facts),
  agent_name: facts.agent_name,
  note: writeNote(row, facts)
})

const withFacts = ({
  agent_name,
  agent_seen_at,
  agent_state,
  is_served,
  task_name,
  task_state,
  worker_before,
  worker_concurrency,
  worker_metadata,
  worker_name,
  worker_queues,
  worker_state,
  ...command
}: RowWithFacts): Command => {
  const { described_at = null, pool, process_ids = null }: PoolMetadata = JSON.parse(worker_metadata ?? "{}") // Presence wrote it
  const worker = worker_name === null ? null : {
    name: worker_name,
    isOnline: worker_state === "online",
    queues: JSON.parse(worker_queues ?? "[]") as ReadonlyArray<string>, // the same
    concurrency: worker_concurrency,
    implementation: typeof pool?.implementation === "string" ? pool.implementation : null,
    process_ids,
    described_at,
    before: worker_before === null ? null : JSON.parse(worker_before) as PoolReport // `Issue.ts` wrote it
  }
  const facts: NoteFacts = {
    agent_name,
    agent_seen_at,
    agent_state,
    engine: command.engine,
    is_served,
    task_name,
    task_state,
    worker
  }
  return addFacts(command, facts)
}

/** The columns of a CommandRow. */
export const commandColumns = [
  "id",
  "project_id",
  "agent_id",
  "issued_by",
  "action",
  "engine",
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

/** Commands with the names of their targets and the facts of their notes. A process that names no engines may serve any. */
const selectWithFactsSql = `
  SELECT ${commandColumns.map((column) => `c.${column}`).join(", ")},
    a.name AS agent_name, a.state AS agent_state, a.last_seen_at AS agent_seen_at,
    CASE WHEN c.status = 'pending' AND EXISTS (SELECT 1 FROM agent_workers w WHERE w.agent_id = c.agent_id AND w.state = 'online'
      AND (w.engines = '[]' OR w.engines LIKE '%"' || c.engine || '"%')) THEN 1 ELSE 0 END AS is_served, t.name AS task_name, t.state AS task_state,
    w.name AS worker_name, w.state AS worker_state, w.concurrency AS worker_concurrency, w.queues AS worker_queues,
    w.metadata AS worker_metadata, c.worker_before
  FROM commands c LEFT JOIN agents a ON a.id = c.agent_id
  LEFT JOIN tasks t ON c.target_type = 'task'
    AND t.project_id = c.project_id AND t.engine = c.engine AND t.task_id = c.target_id
  LEFT JOIN workers w ON c.target_type = 'worker' AND c.status = 'completed'
    AND w.project_id = c.project_id AND w.engine = c.engine AND w.name = c.target_id`

/** Commands among which the end of an id is sought: 3 ms on SQLite. */
const searchedForEnds = 10_000

/** Commands as people issue and read them. `CommandStatusRepo` changes their status. */
export class CommandsRepo extends Effect.Service<CommandsRepo>()("svc/CommandsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const returnedColumns = sql.literal(commandColumns.join(", "))
    const { rows } = yield* PreparedReads
    const selectWithFacts = read.literal(selectWithFactsSql)
    const selectById = rows<RowWithFacts>(`${selectWithFactsSql} WHERE c.project_id = ? AND c.id = ?`)
    const insertColumns = sql.literal(Object.keys(insertColumnTypes).join(", "))

    const insertInto = sql`INSERT INTO commands (${insertColumns}) SELECT ${insertColumns}`
    const newRows = (commands: ReadonlyArray<NewCommand>) => recordset(sql, "r", insertColumnTypes, commands)

    /** Returns the inserted rows: all but those whose idempotency key another command has. */
    const insert = (commands: ReadonlyArray<NewCommand>) =>
      sql<CommandRow>`${insertInto} FROM ${newRows(commands)} WHERE true
        ON CONFLICT DO NOTHING RETURNING ${returnedColumns}`

    /** Inserts commands without idempotency keys where `head`, an expression of `expressions`, has a row. PostgreSQL only. */
    const insertWith = (expressions: Statement.Fragment, commands: ReadonlyArray<NewCommand>) =>
      sql<CommandRow>`WITH ${expressions} ${insertInto} FROM ${newRows(commands)} WHERE EXISTS (SELECT 1 FROM head)
        RETURNING ${returnedColumns}`

    let sqliteInsert: SqliteStatement<Array<unknown>, CommandRow> | undefined
    /** `insert` within `Database.sqlite.write`. */
    const insertOnSqlite = (db: SqliteConnection, commands: ReadonlyArray<NewCommand>) => {
      const [text, values] = insert(commands).compile()
      sqliteInsert ??= db.prepare(text) // the text is the same for any number of commands
      return sqliteInsert.all(...values)
    }

    const findById = (projectId: ProjectId, id: CommandId) =>
      Effect.map(selectById(projectId, id), ([row]) => Option.map(Option.fromNullable(row), withFacts))

    /** Id of the command of an idempotency key that was issued after `since`, and the fingerprint of its request. */
    const findByIdempotencyKey = (projectId: ProjectId, key: string, since: Timestamp) =>
      Effect.map(
        sql<{ readonly id: CommandId; readonly request_hash: string }>`SELECT id, request_hash FROM commands
          WHERE project_id = ${projectId} AND idempotency_key = ${key} AND issued_at > ${since}`,
        (rows) => Option.fromNullable(rows[0])
      )

    /** The last retry of the task with these parameters that was issued after `since`. */
    const findRetry = (
      projectId: ProjectId,
      { engine, payload, since, task_id }: {
        readonly engine: string
        readonly task_id: string
        readonly payload: string
        readonly since: Timestamp
      }
    ) =>
      Effect.map(
        sql<{ readonly id: CommandId; readonly status: CommandStatus }>`SELECT id, status FROM commands
          WHERE project_id = ${projectId} AND engine = ${engine} AND target_id = ${task_id} AND target_type = 'task'
            AND action = 'retry_task' AND payload = ${payload} AND issued_at > ${since}
          ORDER BY id DESC LIMIT 1`,
        Arr.head
      )

    /** Releases an idempotency key whose command is older than the retention of keys. */
    const releaseIdempotencyKey = (projectId: ProjectId, key: string, before: Timestamp) =>
      sql`UPDATE commands SET idempotency_key = NULL
        WHERE project_id = ${projectId} AND idempotency_key = ${key} AND issued_at <= ${before}`

    /** Commands to a task, and those that retried it or created it, also for a schedule. */
    const idsOfTask = (projectId: ProjectId, { engine, task_id }: TaskKey) =>
      read`SELECT id FROM commands
          WHERE project_id = ${projectId} AND engine = ${engine} AND target_type = 'task' AND target_id = ${task_id}
        UNION SELECT command_id FROM task_retries
          WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}
        UNION SELECT command_id FROM task_retries
          WHERE project_id = ${projectId} AND engine = ${engine} AND new_task_id = ${task_id}
        UNION SELECT id FROM commands
          WHERE project_id = ${projectId} AND engine = ${engine} AND created_task_id = ${task_id}`

    /** No index finds the end of an id, of which people see the last eight characters: it is sought among the newest. */
    const hasIdPart = (projectId: ProjectId, part: string) => {
      const bounds = boundsOfPart(part)
      const isAtEnd = read`id IN (SELECT id FROM (
        SELECT id, CAST(id AS TEXT) AS text FROM commands WHERE project_id = ${projectId}
        ORDER BY id DESC LIMIT ${searchedForEnds}
      ) newest WHERE text LIKE ${`%${part}`} OR text LIKE ${`${"_".repeat(28)}${part}%`})`
      return bounds === null ? isAtEnd : read.or([read`id BETWEEN ${bounds.min} AND ${bounds.max}`, isAtEnd])
    }

    /** Newest first, after the id `after`: at most `limit` rows, fewer when they are large; `more` says whether older ones exist. */
    const listPage = Effect.fnUntraced(function*(
      projectId: ProjectId,
      { idPart, status, task }: {
        readonly status: CommandStatus | null
        readonly task: TaskKey | null
        readonly idPart: string | null
      },
      after: string | null,
      limit: number
    ) {
      const ids = yield* read<RowSize>`
        SELECT id, octet_length(payload) + coalesce(octet_length(result), 0) AS bytes FROM commands
        WHERE ${
        read.and([
          read`project_id = ${projectId}`,
          ...(status === null ? [] : [read`status = ${status}`]),
          ...(task === null ? [] : [read`id IN (${idsOfTask(projectId, task)})`]),
          ...(idPart === null ? [] : [hasIdPart(projectId, idPart)]),
          ...(after === null ? [] : [read`id < ${after}`])
        ])
      } ORDER BY id DESC LIMIT ${limit + 1}`
      const pageIds = takeWithin(ids, pageBytes).slice(0, limit).map(({ id }) => id)
      const rows = pageIds.length === 0
        ? []
        : yield* read<RowWithFacts>`${selectWithFacts}
          WHERE c.project_id = ${projectId} AND c.id IN ${read.in(pageIds)} ORDER BY c.id DESC`
      return { rows: rows.map(withFacts), more: ids.length > pageIds.length }
    })

    /** Those of the commands that have ended. */
    const listEnded = (ids: ReadonlyArray<string>) =>
      ids.length === 0
        ? Effect.succeed([])
        : read<Pick<CommandRow, "id" | "status" | "result">>`
          SELECT id, status, result FROM commands WHERE id IN ${read.in(ids)} AND completed_at IS NOT NULL`

    return {
      insert,
      insertWith,
      insertOnSqlite,
      findById,
      findByIdempotencyKey,
      findRetry,
      releaseIdempotencyKey,
      listPage,
      listEnded
    } as const
  })
}) {
  static readonly layer = this.Default
}
