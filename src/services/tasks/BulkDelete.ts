import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { omitNullTerms, summarizeTerms } from "../../domain/kernel/Query.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type BulkDelete, hidePayloadQuery, toTaskFilter } from "../../domain/tasks/Task/Filter.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { isContention, orDieOnSql } from "../kernel/sql/Database.ts"
import { TaskDeletion } from "./Deletion.ts"
import { TaskSearch } from "./Search.ts"

/** Rows per request in filter mode (interface, Limits). */
const maxRows = 10_000
/** Rows per transaction. */
export const rowsAtOnce = 250

/**
 * Deletes many tasks (interface, Bulk delete request). In slices, each in its own transaction with its own audit row:
 * the writer is never blocked for long, and every deleted slice is audited even when a later one fails.
 */
export class TaskBulkDelete extends Effect.Service<TaskBulkDelete>()("svc/tasks/BulkDelete", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const search = yield* TaskSearch
    const deletion = yield* TaskDeletion
    const audit = yield* Audit

    /** Deletes at most `rowsAtOnce` tasks; `source` is added to the metadata of the audit row. */
    const deleteSlice = Effect.fnUntraced(
      function*(
        projectId: ProjectId,
        body: BulkDelete,
        ids: ReadonlyArray<string>,
        source: Readonly<Record<string, string>> = {}
      ) {
        const deleted = yield* deletion.deleteTasks(projectId, ids)
        if (deleted > 0) {
          yield* audit.record(auditEntry("task.bulk_deleted", "project", projectId, {
            project_id: projectId,
            metadata: {
              deleted_count: deleted,
              selection: hidePayloadQuery(summarizeTerms(omitNullTerms(body))),
              ...source
            }
          }))
        }
        return deleted
      },
      sql.withTransaction,
      Effect.retry({ while: isContention, times: 10 })
    )

    /** Deletes the tasks and returns how many. In filter mode the oldest 10,000 of the matching tasks, by id. */
    const deleteMatching = Effect.fn("TaskBulkDelete.deleteMatching")(
      function*(projectId: ProjectId, body: BulkDelete) {
        const ids = body.task_ids === null
          ? yield* search.listIds(projectId, toTaskFilter(body, yield* Timestamp.now), {
            direction: "oldest",
            after: null,
            limit: maxRows
          })
          : [...new Set(body.task_ids)].sort()
        let deleted = 0
        for (let start = 0; start < ids.length; start += rowsAtOnce) {
          yield* yieldToEventLoop
          deleted += yield* deleteSlice(projectId, body, ids.slice(start, start + rowsAtOnce))
        }
        return deleted
      },
      orDieOnSql
    )

    return { deleteMatching, deleteSlice } as const
  })
}) {
  static readonly layer = this.Default
}
