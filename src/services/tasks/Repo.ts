import { Effect } from "effect"
import type { AgentId, ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { LastRetry } from "../../domain/tasks/Retry.ts"
import { type TaskDetail, taskFields } from "../../domain/tasks/Task.ts"
import { minId } from "../kernel/Ids.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { idIn, jsonFunctionsOf } from "../kernel/sql/Dialect.ts"
import { PreparedReads } from "../kernel/sql/PreparedReads.ts"
import { isOfCurrentRun } from "./Outputs.ts"
import { asTaskRows, makeTaskPages } from "./Pages.ts"

/**
 * Newest commands that are searched for a project's last retry, so that a project without a retry costs no longer
 * read.
 */
const newestCommands = 200

/** Maximum tasks of a task's retries in its detail; the newest ones. */
const maxRetriesShown = 20

/** A task that started and, as far as its events say, has not ended. */
export interface StartedTask {
  readonly id: string
  readonly project_id: ProjectId
  readonly engine: string
  readonly task_id: string
  readonly worker_name: string | null
  readonly started_at: Timestamp
  /** The agent that reported the task's worker; null: none is known. */
  readonly reporter: AgentId | null
}

/** A task that waits as far as its events say, or whose outcome is unknown. */
export interface WaitingTask {
  readonly id: string
  readonly project_id: ProjectId
  readonly engine: string
  readonly task_id: string
  readonly queue: string | null
  readonly state: "pending" | "received" | "retry" | "unknown"
  readonly eta: Timestamp | null
  readonly exception: string | null
  readonly updated_at: Timestamp
  /** When an agent was last asked for its outcome. */
  readonly asked_at: Timestamp | null
}

/** What only the page of a task shows, as JSON text of its statement. */
interface DetailJson {
  readonly retried_from: string | null
  readonly orphaned_at: Timestamp | null
  readonly retried_as: ReadonlyArray<string> | null
  /** `status:error`, or `status` without an error. */
  readonly last_retry: string | null
  readonly failure_group: (typeof TaskDetail.Type)["failure_group"]
  /** The command of the fire that submitted it, alone. */
  readonly fires: ReadonlyArray<FireJson> | null
  readonly output: StoredOutput | null
}

/** What a task said while it ran; `progress` is JSON text, null unless it is from the current run. */
export interface StoredOutput {
  readonly lines: number
  readonly progress: string | null
  readonly progress_at: string | null
}

interface FireJson {
  readonly schedule_id: string
  /** JSON text. */
  readonly payload: string
}

/** Members of the payload of a command that submits the task of a schedule. */
interface FirePayload {
  readonly schedule_name?: string | null
  readonly fire_id?: string | null
}

const decodeFire = ({ payload, schedule_id }: FireJson) => {
  const { fire_id = null, schedule_name = null }: FirePayload = JSON.parse(payload)
  return { schedule_id, schedule_name, fire_id }
}

const decodeLastRetry = (text: string): LastRetry => {
  const colon = text.indexOf(":")
  return colon === -1
    ? { status: text, error: null }
    : { status: text.slice(0, colon), error: text.slice(colon + 1) }
}

const decodeDetail = (json: string) => {
  const { failure_group, fires, last_retry, orphaned_at, output, retried_as, retried_from }: DetailJson = JSON.parse(
    json
  )
  const [fire] = fires ?? []
  return {
    failureGroup: failure_group,
    firedBy: fire === undefined ? null : decodeFire(fire),
    retriedFrom: retried_from,
    orphanedAt: orphaned_at,
    output,
    retriedAs: retried_as ?? [],
    lastRetry: last_retry === null ? null : decodeLastRetry(last_retry)
  }
}

const whereKey = "WHERE project_id = ? AND engine = ? AND task_id = ?"

/**
 * What other tables say of a task as one value of its row, because each statement costs more than its reads
 * (bench/http.ts). The newest commands are those from the id of the last of them: as `id IN (SELECT …)` SQLite wrote their ids into a table first,
 * which took 20 µs of an empty project and 110 µs more than this of one with 200 commands.
 */
const detailSql = ({ groupArray, object }: ReturnType<typeof jsonFunctionsOf>) =>
  `CAST(${object}(
  'retried_from', (
    SELECT task_id FROM task_retries WHERE project_id = t.project_id AND engine = t.engine AND new_task_id = t.task_id
    ORDER BY command_id DESC LIMIT 1),
  'orphaned_at', CASE WHEN state IN ('started', 'unknown') THEN (
    SELECT orphaned_at FROM task_orphans o
    WHERE o.project_id = t.project_id AND o.engine = t.engine AND o.task_id = t.task_id AND o.started_at = t.started_at) END,
  'retried_as', (
    SELECT ${groupArray}(new_task_id ORDER BY command_id DESC) FROM (
      SELECT new_task_id, command_id FROM task_retries
      WHERE project_id = t.project_id AND engine = t.engine AND task_id = t.task_id
      ORDER BY command_id DESC LIMIT ${maxRetriesShown}) AS retries),
  'last_retry', (
    SELECT status || coalesce(':' || error, '') FROM commands
    WHERE project_id = t.project_id AND action = 'retry_task' AND engine = t.engine AND dispatched_at IS NOT NULL
      AND status IN ('completed', 'failed') AND payload NOT LIKE '%"override_args"%'
      AND id >= coalesce(
        (SELECT id FROM commands WHERE project_id = t.project_id ORDER BY id DESC LIMIT 1 OFFSET ${
    newestCommands - 1
  }), '${minId}')
    ORDER BY id DESC LIMIT 1),
  'failure_group', (
    SELECT ${object}('fingerprint', g.fingerprint, 'open_count', open_count, 'occurrences', occurrences) FROM failure_groups g
    WHERE g.project_id = t.project_id AND g.fingerprint = t.fingerprint),
  'fires', (
    SELECT ${groupArray}(${object}('schedule_id', target_id, 'payload', payload)) FROM (
      SELECT target_id, payload FROM commands
      WHERE project_id = t.project_id AND engine = t.engine AND created_task_id = t.task_id AND target_id IS NOT NULL
      ORDER BY id DESC LIMIT 1) AS fires),
  'output', (
    SELECT ${object}(
      'lines', lines, 'progress', CASE WHEN ${isOfCurrentRun} THEN progress END, 'progress_at', progress_at)
    FROM task_outputs o
    WHERE o.project_id = t.project_id AND o.engine = t.engine AND o.task_id = t.task_id)
) AS TEXT)`

/**
 * Reads rows of `tasks` as arrays of `taskFields`: twice as fast as objects. The JSON and the exports are written from
 * these arrays.
 */
export class TasksRepo extends Effect.Service<TasksRepo>()("svc/TasksRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* Reader
    const pages = yield* makeTaskPages
    const prepare = yield* PreparedReads
    const selectByKey = prepare.values(`SELECT ${taskFields.join(", ")} FROM tasks ${whereKey}`)
    const selectDetail = prepare.values(
      `SELECT ${taskFields.join(", ")}, ${detailSql(jsonFunctionsOf(sql))}, history FROM tasks AS t ${whereKey}`
    )

    return {
      ...pages,

      findByKey: (projectId: ProjectId, { engine, task_id }: TaskKey) =>
        Effect.map(selectByKey(projectId, engine, task_id), (rows) => asTaskRows(rows)[0]),

      /**
       * The task as `findByKey` returns it, with the task whose retry created it (of several, by the newest command), the
       * tasks that its retries created, newest first, the outcome of the engine's latest retry without overrides, among the
       * project's newest commands, its failure group, the fire that submitted it, what it
       * said while it ran, and its history.
       */
      findDetail: (projectId: ProjectId, { engine, task_id }: TaskKey) =>
        Effect.map(selectDetail(projectId, engine, task_id), (rows) => {
          const [row] = asTaskRows(rows)
          if (row === undefined) return undefined
          const history = String(row[taskFields.length + 1])
          return { row, history, ...decodeDetail(String(row[taskFields.length])) }
        }),

      /** Those of the ids that are tasks of the project and engine, with their names. */
      listNames: (projectId: ProjectId, engine: string, taskIds: ReadonlyArray<string>) =>
        sql<{ task_id: string; name: string }>`SELECT task_id, name FROM tasks
          WHERE project_id = ${projectId} AND engine = ${engine} AND task_id IN ${sql.in(taskIds)}`,

      /** The engine of the latest task of that name, as a list of one; empty when there is none. */
      listEngines: (projectId: ProjectId, name: string) =>
        Effect.map(
          sql<{ engine: string }>`SELECT engine FROM tasks
            WHERE project_id = ${projectId} AND name = ${name} ORDER BY id DESC LIMIT 1`,
          (rows) => rows.map(({ engine }) => engine)
        ),

      /** Tasks that started before `before` and have not ended, oldest first, after the id `after`. */
      listStarted: (projectId: ProjectId, after: string | null, before: Timestamp, limit: number) =>
        sql<
          StartedTask
        >`SELECT t.id, t.project_id, t.engine, t.task_id, t.worker_name, t.started_at, w.agent_id AS reporter
          FROM tasks t
          LEFT JOIN workers w ON w.project_id = t.project_id AND w.engine = t.engine AND w.name = t.worker_name
          WHERE ${
          sql.and([
            sql`t.project_id = ${projectId}`,
            sql`t.state = 'started'`,
            ...(after === null ? [] : [sql`t.id > ${after}`]),
            sql`t.started_at < ${before}`
          ])
        } ORDER BY t.id LIMIT ${limit}`,

      /**
       * The next tasks of the project that wait or are unknown, oldest first, after the id `after`. One range of an index
       * for each state: a sort by id would read all of them.
       */
      listWaiting: (projectId: ProjectId, after: string | null, limit: number) => {
        const ofState = (state: string) =>
          sql`SELECT * FROM (SELECT id, project_id, engine, task_id, queue, state, eta, exception, updated_at FROM tasks
            WHERE project_id = ${projectId} AND state = ${state} AND id > ${after ?? minId}
            ORDER BY id LIMIT ${limit}) AS ${sql.literal(`${state}_tasks`)}`
        return sql<WaitingTask>`SELECT t.*, (
            SELECT max(c.issued_at) FROM commands c WHERE c.project_id = t.project_id AND c.engine = t.engine
              AND c.target_type = 'task' AND c.target_id = t.task_id AND c.action = 'reconcile_task') AS asked_at
          FROM (
            ${ofState("pending")} UNION ALL ${ofState("received")} UNION ALL ${ofState("retry")}
            UNION ALL ${ofState("unknown")} ORDER BY id LIMIT ${limit}
          ) AS t ORDER BY t.id`
      },

      /** The texts of the tasks' histories by their ids. */
      listHistories: (projectId: ProjectId, ids: ReadonlyArray<string>) =>
        Effect.map(
          ids.length === 0 ? Effect.succeed([]) : sql<{ readonly id: string; readonly history: string }>`
            SELECT id, history FROM tasks WHERE project_id = ${projectId} AND ${idIn(sql, ids)}`,
          (rows) => new Map(rows.map(({ history, id }) => [id, history]))
        ),

      /** The text of a task's history, undefined when the task is unknown. */
      findHistory: (projectId: ProjectId, { engine, task_id }: TaskKey) =>
        Effect.map(
          sql<{ history: string }>`SELECT history FROM tasks
            WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}`,
          ([row]) => row?.history
        ),

      /** The number of the project's tasks, or of those in a state. The writers maintain it; no row is counted. */
      readCount: (projectId: ProjectId, state: string | null) =>
        Effect.map(
          sql<{ tasks: number }>`SELECT COALESCE(SUM(tasks), 0) AS tasks FROM task_counts WHERE ${
            sql.and([sql`project_id = ${projectId}`, ...(state === null ? [] : [sql`state = ${state}`])])
          }`,
          ([row]) => Math.max(0, Number(row?.tasks ?? 0))
        ),
      /** These numbers by state, the largest first; none of a state without tasks. */
      listCounts: (projectId: ProjectId, state: string | null) =>
        Effect.map(
          sql<{ state: string; n: number }>`SELECT state, SUM(tasks) AS n FROM task_counts WHERE ${
            sql.and([sql`project_id = ${projectId}`, ...(state === null ? [] : [sql`state = ${state}`])])
          } GROUP BY state HAVING SUM(tasks) > 0 ORDER BY n DESC, state`,
          (rows) => rows.map(({ n, state }) => ({ value: state, count: Number(n) }))
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
