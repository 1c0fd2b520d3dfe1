import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { ExportJob, ExportJobList } from "../../../domain/audit/ExportJob.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { describeField, exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, ExportJobId } from "../../../domain/kernel/Id.ts"
import { wholeNumber } from "../../../domain/kernel/Query.ts"
import { ExportedTasks, TaskExportJobCreate } from "../../../domain/tasks/Task/Export.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const jobId = pathParameter("job_id", caseInsensitiveId(ExportJobId), "The export's id.", exampleId)

/**
 * Exports of tasks in the background. Not below `/tasks`: `/tasks/export-jobs/{job_id}` would be a task of an engine called
 * export-jobs.
 */
export class TaskExportsApi extends projectGroup("task_exports", "Tasks")
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/task-export-jobs`
      .setPayload(TaskExportJobCreate)
      .addSuccess(ExportJob, { status: 202 })
      .annotate(Access, {
        caller: "viewer",
        scope: "tasks:read",
        mutates: true,
        creates: true,
        failureCodes: ["too_many_export_jobs"]
      })
      .annotateContext(operation(
        "Export tasks in the background",
        "For more rows than one download may have, and independent of the connection. Changes no task. 202: read it " +
          "again until it is completed, then download its file."
      ))
  )
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/task-export-jobs`
      .setUrlParams(Schema.Struct({
        limit: describeField(Schema.optional(wholeNumber(1, 200)), "Rows.", 50)
      }))
      .addSuccess(ExportJobList)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation("List exports of tasks", "Newest first."))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/task-export-jobs/${jobId}`
      .addSuccess(ExportJob)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation("Show an export of tasks", "With its progress."))
  )
  .add(
    HttpApiEndpoint.get("download")`/projects/${slug}/task-export-jobs/${jobId}/download`
      .addSuccess(ExportedTasks)
      .annotate(Access, {
        caller: "viewer",
        scope: "tasks:read",
        heavy: "always",
        failureCodes: ["export_job_not_completed"]
      })
      .annotateContext(operation(
        "Download the file of an export of tasks",
        "csv, json or xlsx, as an attachment. 403 where the file or its query shows arguments and results, and the caller may not see " +
          "them. The download is a row of the audit log."
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/task-export-jobs/${jobId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "viewer", scope: "tasks:write", mutates: true })
      .annotateContext(operation(
        "Delete an export of tasks",
        "Its file goes with it; one that is being written ends. Of the caller's own exports, and of all for admins of the " +
          "project."
      ))
  )
{}
