import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { ExportedAuditRows, ExportJobCreate } from "../../../domain/audit/AuditExport.ts"
import { ExportJob, ExportJobList } from "../../../domain/audit/ExportJob.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { describeField, exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, ExportJobId } from "../../../domain/kernel/Id.ts"
import { wholeNumber } from "../../../domain/kernel/Query.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const jobId = pathParameter("job_id", caseInsensitiveId(ExportJobId), "The export's id.", exampleId)

/** Exports of a project's audit log in the background (bodies: audit-exports). */
export class AuditExportsApi extends projectGroup("audit_exports", "Audit")
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/audit/export-jobs`
      .setPayload(ExportJobCreate)
      .addSuccess(ExportJob, { status: 202 })
      .annotate(Access, {
        caller: "auditor",
        scope: "audit:write",
        mutates: true,
        creates: true,
        failureCodes: ["too_many_export_jobs"]
      })
      .annotateContext(operation(
        "Export a project's audit log in the background",
        "For more rows than one download may have. 202: read it again until it is completed, then download its file."
      ))
  )
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/audit/export-jobs`
      .setUrlParams(Schema.Struct({
        limit: describeField(Schema.optional(wholeNumber(1, 200)), "Rows.", 50)
      }))
      .addSuccess(ExportJobList)
      .annotate(Access, { caller: "auditor", scope: "audit:read" })
      .annotateContext(operation("List exports of the audit log", "Newest first."))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/audit/export-jobs/${jobId}`
      .addSuccess(ExportJob)
      .annotate(Access, { caller: "auditor", scope: "audit:read" })
      .annotateContext(operation("Show an export of the audit log", "With its progress."))
  )
  .add(
    HttpApiEndpoint.get("download")`/projects/${slug}/audit/export-jobs/${jobId}/download`
      .addSuccess(ExportedAuditRows)
      .annotate(Access, {
        caller: "auditor",
        scope: "audit:read",
        heavy: "always",
        failureCodes: ["export_job_not_completed"]
      })
      .annotateContext(operation(
        "Download the file of an export",
        "csv, json or xlsx, as an attachment. The download is a row of the audit log."
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/audit/export-jobs/${jobId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "auditor", scope: "audit:write", mutates: true })
      .annotateContext(operation(
        "Delete an export of the audit log",
        "Its file goes with it; one that is being written ends. Of the caller's own exports, and of all for admins of the " +
          "project."
      ))
  )
{}
