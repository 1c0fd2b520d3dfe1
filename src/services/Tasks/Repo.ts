import { Effect } from "effect"
import { type TaskFilter } from "../../domain/Task/Filter.ts"
import type { TaskRow } from "../../domain/Task/Json.ts"
import { taskFields, type TaskKey } from "../../domain/Task.ts"
import { Reader } from "../Database.ts"
import { conditionsOn } from "./Conditions.ts"

/**
 * Reads rows of `tasks` as arrays of `taskFields`: twice as fast as objects, and what the JSON, the exports and the
 * tree are written from.
 */
export class TasksRepo extends Effect.Service<TasksRepo>()("svc/TasksRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* Reader
    const where = conditionsOn(sql)
    const columns = sql.literal(taskFields.join(", "))

    // the cast: every column of `taskFields` is text or a number in both databases
    const rowsOf = (rows: ReadonlyArray<ReadonlyArray<unknown>>) => rows as ReadonlyArray<TaskRow>

    return {
      /** A page of a filter with at most one term, which an index serves in the order of the list. */
      page: (projectId: string, filter: TaskFilter, after: string | null, limit: number) =>
        Effect.map(
          sql`SELECT ${columns} FROM tasks WHERE ${
            sql.and([
              sql`project_id = ${projectId}`,
              ...where.plain(filter),
              ...(after === null ? [] : [sql`id < ${after}`])
            ])
          } ORDER BY id DESC LIMIT ${limit}`.values,
          rowsOf
        ),

      /** The rows that still are there, newest first. */
      byIds: (projectId: string, ids: ReadonlyArray<string>) =>
        Effect.map(
          sql`SELECT ${columns} FROM tasks WHERE project_id = ${projectId} AND ${
            sql.onDialectOrElse({
              pg: () => sql`id = ANY(${ids}::uuid[])`,
              orElse: () => sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
            })
          } ORDER BY id DESC`.values,
          rowsOf
        ),

      byKey: (projectId: string, { engine, task_id }: TaskKey) =>
        Effect.map(
          sql`SELECT ${columns} FROM tasks
            WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}`.values,
          (rows) => rowsOf(rows)[0]
        ),

      /** The text of a task's history, undefined when there is no such task. */
      history: (projectId: string, { engine, task_id }: TaskKey) =>
        Effect.map(
          sql<{ history: string }>`SELECT history FROM tasks
            WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}`,
          ([row]) => row?.history
        ),

      /** How many tasks the project has, or has in a state: kept by the writers, never counted. */
      counted: (projectId: string, state: string | null) =>
        Effect.map(
          sql<{ tasks: number }>`SELECT COALESCE(SUM(tasks), 0) AS tasks FROM task_counts WHERE ${
            sql.and([sql`project_id = ${projectId}`, ...(state === null ? [] : [sql`state = ${state}`])])
          }`,
          ([row]) => Math.max(0, Number(row?.tasks ?? 0))
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
