/** Which links of retries the ingest marks as due for a check (`Recoveries.ts`), and the statements for that. */
import type { FoldResult, ProjectTaskKey } from "../../../domain/tasks/Fold.ts"
import { recordColumns } from "../../kernel/sql/Recordset.ts"

export interface RetryMarks {
  /** Tasks that have become successful, or are no longer: each may be the retry of another. */
  readonly changedTasks: ReadonlyArray<ProjectTaskKey>
  /** New rows of failed tasks: each may have been retried while the brain did not know it. */
  readonly createdTasks: ReadonlyArray<ProjectTaskKey>
}

export const collectRetryMarks = (folded: ReadonlyArray<FoldResult>): RetryMarks => {
  const changedTasks: Array<ProjectTaskKey> = []
  const createdTasks: Array<ProjectTaskKey> = []
  for (const { row, stored } of folded) {
    if ((stored?.state === "success") !== (row.state === "success")) changedTasks.push(keyOf(row))
    if (stored === undefined && row.fingerprint !== null) createdTasks.push(keyOf(row))
  }
  return { changedTasks, createdTasks }
}

const keyOf = ({ engine, project_id, task_id }: ProjectTaskKey): ProjectTaskKey => ({ project_id, engine, task_id })

/** One task each; most have no link. */
const sqliteText = (column: "new_task_id" | "task_id"): string =>
  `UPDATE task_retries SET check_at = @at
  WHERE project_id = @project_id AND engine = @engine AND ${column} = @task_id`

export const sqliteMarkTexts = { changedTasks: sqliteText("new_task_id"), createdTasks: sqliteText("task_id") } as const

const postgresText = (column: "new_task_id" | "task_id"): string =>
  `UPDATE task_retries l SET check_at = $2
  FROM json_to_recordset($1::json) AS ${recordColumns("r", { project_id: "uuid", engine: "text", task_id: "text" })}
  WHERE l.project_id = r.project_id AND l.engine = r.engine AND l.${column} = r.task_id`

export const postgresMarkTexts = {
  changedTasks: postgresText("new_task_id"),
  createdTasks: postgresText("task_id")
} as const
