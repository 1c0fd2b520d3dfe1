import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import { BulkJob, BulkJobFilter, BulkJobList } from "../../../domain/commands/BulkJob.ts"
import { Access, type AccessRule } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { BulkJobId, caseInsensitiveId } from "../../../domain/kernel/Id.ts"
import { pageQuery } from "../../../domain/kernel/Query.ts"
import { pathWithVerb } from "../../CustomMethods.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const jobId = pathParameter("bulk_job_id", caseInsensitiveId(BulkJobId), "The bulk job's id.", exampleId)

const readRule: AccessRule = { caller: "viewer", scope: "commands:read" }
const createRule = { mutates: true, creates: true, destructive: true, bucket: "bulk_write" } as const

/** Durable bulk jobs. */
export class BulkJobsApi extends projectGroup("bulk_jobs", "Commands")
  .add(
    HttpApiEndpoint.post("delete")`/projects/${slug}/bulk-jobs:delete`
      .setPath(pathWithVerb("delete"))
      .setPayload(BulkJobFilter)
      .addSuccess(BulkJob, { status: 202 })
      .annotate(Access, {
        ...createRule,
        caller: "admin",
        stepUp: true,
        scope: "tasks:delete",
        failureCodes: ["too_many_bulk_jobs", ...approvalCodes]
      })
      .annotateContext(operation(
        "Delete all tasks of a filter",
        "However many; those that arrive later stay. 202: read the job again for its progress."
      ))
  )
  .add(
    HttpApiEndpoint.post("cancel")`/projects/${slug}/bulk-jobs:cancel`
      .setPath(pathWithVerb("cancel"))
      .setPayload(BulkJobFilter)
      .addSuccess(BulkJob, { status: 202 })
      .annotate(Access, {
        ...createRule,
        caller: "operator",
        scope: "commands:write",
        failureCodes: ["too_many_bulk_jobs", ...approvalCodes]
      })
      .annotateContext(operation(
        "Cancel all tasks of a filter",
        "A command for each matching task that has not ended. 202: read the job again for its progress."
      ))
  )
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/bulk-jobs`
      .setUrlParams(Schema.Struct(pageQuery))
      .addSuccess(BulkJobList)
      .annotate(Access, readRule)
      .annotateContext(operation("List bulk jobs", "Newest first."))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/bulk-jobs/${jobId}`
      .addSuccess(BulkJob)
      .annotate(Access, readRule)
      .annotateContext(operation("Show a bulk job", "With its counts, and what it waits for."))
  )
  .add(
    HttpApiEndpoint.post("stop")`/projects/${slug}/bulk-jobs/${jobId}/stop`
      .addSuccess(BulkJob)
      .annotate(Access, {
        caller: "operator",
        scope: "commands:write",
        mutates: true,
        destructive: true,
        failureCodes: ["bulk_job_ended"]
      })
      .annotateContext(operation(
        "Stop a bulk job",
        "For good: tasks that are left stay as they are. Commands that were issued go on."
      ))
  )
{}
