import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"

export interface TaskOfProject {
  readonly project_id: ProjectId
  readonly engine: string
  readonly task_id: string
}

/** A task and the task that its retry created. */
export interface RetryLink extends TaskOfProject {
  readonly new_task_id: string
}

/** A link that is due for a check. */
export interface DueLink extends RetryLink {
  readonly check_at: Timestamp
}

/** What decides how a task counts. */
export interface RecoverableTask extends TaskOfProject {
  readonly state: string
  readonly fingerprint: string | null
  readonly recovered_by: string | null
}

/** A task's mark as it is, and as it shall be. */
export interface MarkChange extends TaskOfProject {
  readonly before: string | null
  readonly after: string | null
}

const taskColumns = { project_id: "uuid", engine: "text", task_id: "text" } as const

/**
 * The links of retries, and the marks of tasks that a retry has recovered. Each statement joins one table with its records:
 * as one recursive statement PostgreSQL took 12 s for 360 tasks of a table without statistics.
 */
export const makeFailureRecoveriesRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader

  return {
    /** The links to check, those that have waited longest first. */
    listDue: (now: Timestamp, limit: number) =>
      read<DueLink>`SELECT project_id, engine, task_id, new_task_id, check_at FROM task_retries
        WHERE check_at IS NOT NULL AND check_at <= ${now} ORDER BY check_at LIMIT ${limit}`,

    /** The links from these tasks to their retries, or to them from the tasks that they retry. */
    listLinks: (end: "task_id" | "new_task_id", tasks: ReadonlyArray<TaskOfProject>) =>
      sql<RetryLink>`SELECT l.project_id, l.engine, l.task_id, l.new_task_id
        FROM ${recordset(sql, "r", taskColumns, tasks)} JOIN task_retries l
          ON l.project_id = r.project_id AND l.engine = r.engine AND ${sql.literal(`l.${end}`)} = r.task_id`,

    listTasks: (tasks: ReadonlyArray<TaskOfProject>) =>
      sql<RecoverableTask>`SELECT t.project_id, t.engine, t.task_id, t.state, t.fingerprint, t.recovered_by
        FROM ${recordset(sql, "r", taskColumns, tasks)} JOIN tasks t
          ON t.project_id = r.project_id AND t.engine = r.engine AND t.task_id = r.task_id`,

    /**
     * Changes marks; returns the tasks with their new marks. It counts as a revision of the task, so that the ingest's
     * writer reads the row again.
     */
    mark: (changes: ReadonlyArray<MarkChange>) =>
      sql<RecoverableTask>`UPDATE tasks SET recovered_by = r.after_mark, revision = revision + 1
        FROM ${
        recordset(
          sql,
          "r",
          { ...taskColumns, before_mark: "text", after_mark: "text" },
          changes.map(({ after, before, ...task }) => ({ ...task, before_mark: before, after_mark: after }))
        )
      }
        WHERE tasks.project_id = r.project_id AND tasks.engine = r.engine AND tasks.task_id = r.task_id
          AND coalesce(tasks.recovered_by, '') = coalesce(r.before_mark, '')
        RETURNING tasks.project_id, tasks.engine, tasks.task_id, tasks.state, tasks.fingerprint, tasks.recovered_by`,

    /** Ends the checks of the links; those that a writer has marked again since stay due. */
    markChecked: (links: ReadonlyArray<DueLink>) =>
      sql`UPDATE task_retries SET check_at = CASE WHEN recheck_at > r.seen_at THEN recheck_at END
        FROM ${
        recordset(
          sql,
          "r",
          { ...taskColumns, new_task_id: "text", seen_at: "text" },
          links.map(({ check_at, ...link }) => ({ ...link, seen_at: check_at }))
        )
      }
        WHERE task_retries.project_id = r.project_id AND task_retries.engine = r.engine
          AND task_retries.new_task_id = r.new_task_id AND task_retries.task_id = r.task_id
          AND task_retries.check_at || '' = r.seen_at`
  } as const
})
