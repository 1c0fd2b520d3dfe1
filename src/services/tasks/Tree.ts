import { Effect, Option } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import type { TaskTree, TaskTreeNode } from "../../domain/tasks/Task.ts"
import * as TaskHistory from "../../domain/tasks/TaskHistory.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { idIn } from "../kernel/sql/Dialect.ts"

/** Maximum nodes of a tree (interface, Limits). */
const maxNodes = 500
/** Parents that one statement follows where a task does not name its root: a few milliseconds. */
const stepsPerRead = 200
/** Parents that are followed in all: 10 000. Of a longer chain the tree is truncated, and its root the last task found. */
const maxReads = 50

type Row = TaskTreeNode & { readonly id: string }

const columns = "id, engine, task_id, name, state, parent_task_id, root_task_id, received_at, started_at, finished_at"

/** Maximum bytes of a history that is read for its attempts. 500 of them are as much as a page of tasks. */
const maxHistoryBytes = 8 * 1024

/** A task's tree: the tasks of its project that share its root, of any engine. */
export const makeFindTree = Effect.gen(function*() {
  const sql = yield* Reader
  const columnsSql = sql.literal(columns)
  const tableColumnsSql = sql.literal(columns.split(", ").map((column) => `tasks.${column}`).join(", "))

  /** The project's engines: one lookup in the primary key each, since no index leads with the task id. */
  const enginesSql = (projectId: ProjectId) =>
    sql`engines(engine) AS (
        SELECT (SELECT MIN(engine) FROM tasks WHERE project_id = ${projectId})
        UNION ALL
        SELECT (SELECT MIN(tasks.engine) FROM tasks WHERE tasks.project_id = ${projectId} AND tasks.engine > engines.engine)
        FROM engines WHERE engines.engine IS NOT NULL
      )`

  /**
   * The task, then each known root or parent up to the last. Of two tasks with one id, that of the same engine. A CROSS
   * JOIN, because SQLite would begin with all tasks of the project otherwise (4 s of a million).
   */
  const listAncestors = (projectId: ProjectId, { engine, task_id }: TaskKey) =>
    sql<Row>`WITH RECURSIVE ${enginesSql(projectId)}, up AS (
        SELECT ${columnsSql}, 0 AS step FROM tasks
        WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}
        UNION ALL
        SELECT ${tableColumnsSql}, up.step + 1 FROM up CROSS JOIN tasks WHERE tasks.project_id = ${projectId} AND tasks.id = (
          SELECT above.id FROM tasks above WHERE above.project_id = ${projectId}
            AND above.engine IN (SELECT engine FROM engines)
            AND above.task_id = COALESCE(up.root_task_id, up.parent_task_id)
          ORDER BY CASE WHEN above.engine = up.engine THEN 0 ELSE 1 END, above.engine LIMIT 1
        )
        AND up.step < ${stepsPerRead}
      ) SELECT ${columnsSql} FROM up ORDER BY step`

  const listByRoot = (projectId: ProjectId, root: string) =>
    sql<Row>`SELECT ${columnsSql} FROM tasks WHERE project_id = ${projectId} AND root_task_id = ${root}
      ORDER BY id LIMIT ${maxNodes + 1}`

  /** The attempts by the tasks' ids, of those tasks that have several, or one that is not as the task or failed. */
  const listAttempts = (projectId: ProjectId, ids: ReadonlyArray<string>) =>
    Effect.map(
      ids.length === 0 ? Effect.succeed([]) : sql<Pick<Row, "id" | "state"> & { readonly history: string }>`
        SELECT id, state, history FROM tasks
        WHERE project_id = ${projectId} AND ${idIn(sql, ids)} AND octet_length(history) <= ${maxHistoryBytes}`,
      (rows) =>
        new Map(rows.flatMap(({ history, id, state }) => {
          const { attempt_list } = TaskHistory.describeLatestRun(TaskHistory.decode(history))
          const isAsTask = attempt_list.length < 2 &&
            attempt_list.every((attempt) => attempt.state === state && attempt.exception === null)
          return isAsTask ? [] : [[id, attempt_list] as const]
        }))
    )

  /** The task and its ancestors, and whether the last one is the top. A circle of parents ends where it closes. */
  const climb = Effect.fnUntraced(function*(projectId: ProjectId, key: TaskKey) {
    const ancestors = new Map<string, Row>()
    let top: Row | undefined
    for (let reads = 0; reads < maxReads; reads++) {
      const rows: ReadonlyArray<Row> = yield* listAncestors(projectId, top ?? key)
      const known = ancestors.size
      for (const row of rows) ancestors.set(row.id, row)
      top = rows.at(-1) ?? top
      const expected = known + rows.length - (reads === 0 ? 0 : 1) // a later read begins with the last row again
      if (rows.length <= stepsPerRead || ancestors.size < expected) return { ancestors, top, isWhole: true }
    }
    return { ancestors, top, isWhole: false }
  })

  /**
   * The tree of a task, none when the task is unknown. Oldest first; of more than 500 nodes the root, the task, its
   * nearest ancestors and the oldest others.
   */
  return Effect.fn("TaskTrees.find")(function*(projectId: ProjectId, key: TaskKey) {
    const { ancestors, isWhole, top } = yield* climb(projectId, key)
    const [own] = ancestors.values()
    if (top === undefined || own === undefined) return Option.none<TaskTree>()
    const root = top.root_task_id ?? top.parent_task_id ?? top.task_id
    const nodes = new Map([own, top, ...ancestors.values()].map((row) => [row.id, row]))
    for (const row of yield* listByRoot(projectId, root)) nodes.set(row.id, row)
    const pageNodes = [...nodes.values()].slice(0, maxNodes).sort((a, b) => (a.id < b.id ? -1 : 1))
    const attempts = yield* listAttempts(
      projectId,
      pageNodes.filter(({ started_at }) => started_at !== null).map(({ id }) => id)
    )
    return Option.some<TaskTree>({
      root_task_id: root,
      node_count: pageNodes.length,
      truncated: !isWhole || nodes.size > maxNodes,
      nodes: pageNodes.map(({ id, ...node }) => {
        const attempt_list = attempts.get(id)
        return attempt_list === undefined ? node : { ...node, attempt_list }
      })
    })
  })
})
