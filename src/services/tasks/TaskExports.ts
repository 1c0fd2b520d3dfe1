import { Effect, Schema } from "effect"
import { Forbidden } from "../../domain/kernel/Errors.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { exportedTaskFields, type TaskExportJobCreate } from "../../domain/tasks/Task/Export.ts"
import { filterFields, hidePayloadQuery, readQuery, readsPayload } from "../../domain/tasks/Task/Filter.ts"
import { isPayloadField } from "../../domain/tasks/Task/Json.ts"
import { makeExportJobs } from "../audit/ExportJobs.ts"
import { taskExports } from "../audit/ExportJobs/Kinds.ts"
import { canReadPayload } from "../kernel/CurrentActor.ts"

/** The terms as they are stored; those that were not given are absent, and unknown ones are refused as in `FilterTerms`. */
export const StoredFilters = Schema.Struct({ ...filterFields, fields: exportedTaskFields })
  .annotations({ parseOptions: { onExcessProperty: "error" } })

const requirePayload = Effect.filterOrFail(
  canReadPayload,
  (isReader) => isReader,
  () => new Forbidden({ detail: "The file shows arguments and results, which need the project's payload_role." })
)

/** Exports of a project's tasks that outlive the connection (docs/api.md, Exports). `TaskExports/Runner.ts` writes them. */
export class TaskExports extends Effect.Service<TaskExports>()("svc/TaskExports", {
  effect: Effect.gen(function*() {
    const jobs = yield* makeExportJobs(taskExports, requirePayload, hidePayloadQuery)

    const create = Effect.fn("TaskExports.create")(function*({ format, ...terms }: TaskExportJobCreate) {
      const { fields, filter_query } = terms
      const created_at = yield* Timestamp.now
      const showsPayload = fields === null || fields.some(isPayloadField) ||
        readsPayload(readQuery(filter_query, created_at))
      return yield* jobs.create({
        format,
        terms,
        showsHidden: showsPayload && (yield* canReadPayload),
        created_at
      })
    })

    return { ...jobs, create } as const
  })
}) {
  static readonly layer = this.Default
}
