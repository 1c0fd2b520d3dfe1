import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { idIn } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { collectDeletedTasks } from "./Failures/Changes.ts"
import { writeGroups } from "./Failures/GroupSql.ts"
import { deleteValuesOfTasks } from "./SearchablePaths/Values.ts"
import { writeOrder } from "./WriteOrder.ts"

/** The slot of `task_counts` that deletions write: no ingest writer waits for it. The count is the sum of all slots. */
const deletionSlot = -1

/**
 * Deletes tasks of a project and subtracts them from its counts and failure groups, in the caller's transaction;
 * returns how many. The caller slices: at most a few hundred ids at a time, with a turn of the event loop in between.
 */
export class TaskDeletion extends Effect.Service<TaskDeletion>()("svc/tasks/Deletion", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const lock: (isDeleted: Statement.Fragment) => Effect.Effect<unknown, SqlError.SqlError> = sql.onDialectOrElse({
      pg: () => (isDeleted) => sql`SELECT FROM tasks WHERE ${isDeleted} ORDER BY ${writeOrder(sql)} FOR UPDATE`,
      orElse: () => () => Effect.void
    })

    /** Deletes what tasks of these keys said, whether they exist or not. */
    const deleteOutputs = Effect.fnUntraced(function*(projectId: ProjectId, keys: ReadonlyArray<TaskKey>) {
      if (keys.length === 0) return
      const rows = keys.map(({ engine, task_id }) => ({ engine, task_id }))
      const ofKeys = sql`project_id = ${projectId} AND (engine, task_id) IN (
        SELECT engine, task_id FROM ${recordset(sql, "k", { engine: "text", task_id: "text" }, rows)})`
      const outputs = yield* sql<TaskKey>`DELETE FROM task_outputs WHERE ${ofKeys} RETURNING engine, task_id`
      if (outputs.length > 0) yield* sql`DELETE FROM task_log_chunks WHERE ${ofKeys}`
    })

    /** With `before`, only tasks whose last change is older: one may have changed since its id was read. */
    const deleteTasks = Effect.fn("TaskDeletion.deleteTasks")(
      function*(projectId: ProjectId, ids: ReadonlyArray<string>, before: Timestamp | null = null) {
        const isDeleted = sql.and([
          sql`project_id = ${projectId}`,
          idIn(sql, ids),
          ...(before === null ? [] : [sql`updated_at < ${before}`])
        ])
        yield* lock(isDeleted)
        yield* deleteValuesOfTasks(sql, projectId, isDeleted)
        const deleted = yield* sql<
          { engine: string; task_id: string; state: string; fingerprint: string | null; recovered_by: string | null }
        >`DELETE FROM tasks WHERE ${isDeleted} RETURNING engine, task_id, state, fingerprint, recovered_by`
        yield* deleteOutputs(projectId, deleted)
        const byState = new Map<string, number>()
        for (const { state } of deleted) byState.set(state, (byState.get(state) ?? 0) - 1)
        const rows = [...byState].sort(([a], [b]) => (a < b ? -1 : 1)).map(([state, tasks]) => ({
          project_id: projectId,
          state,
          slot: deletionSlot,
          tasks
        }))
        if (rows.length > 0) {
          yield* sql`INSERT INTO task_counts ${sql.insert(rows)}
          ON CONFLICT (project_id, state, slot) DO UPDATE SET tasks = task_counts.tasks + excluded.tasks`
        }
        const groups = collectDeletedTasks(projectId, deleted)
        if (groups.length > 0) yield* writeGroups(sql, groups)
        return deleted.length
      }
    )

    return { deleteTasks, deleteOutputs } as const
  })
}) {
  static readonly layer = this.Default
}
