import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import {
  BulkRetryPreviewRequest,
  BulkRetryRequestCreate,
  BulkRetryRequestList,
  BulkRetryRequestPublic,
  ResumeBulkRetry
} from "../../../domain/commands/BulkRetry.ts"
import { BulkRetryItemList, ItemStatus } from "../../../domain/commands/BulkRetry/Item.ts"
import { BulkRetryPreview } from "../../../domain/commands/BulkRetry/Preview.ts"
import { TaskOutcome } from "../../../domain/commands/BulkRetry/TaskOutcome.ts"
import { Access, type AccessRule } from "../../../domain/kernel/Access.ts"
import { describeField, exampleId } from "../../../domain/kernel/Describe.ts"
import { BulkRetryId, caseInsensitiveId } from "../../../domain/kernel/Id.ts"
import { pageQuery } from "../../../domain/kernel/Query.ts"
import { pathWithVerb } from "../../CustomMethods.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const requestId = pathParameter("request_id", caseInsensitiveId(BulkRetryId), "The bulk retry's id.", exampleId)

const ListItems = Schema.Struct({
  status: describeField(Schema.optional(ItemStatus), "Only tasks in this status, by engine.", "failed"),
  outcome: describeField(
    Schema.optional(TaskOutcome),
    "Only retried tasks with this outcome, by engine.",
    "failed"
  ),
  ...pageQuery
})

const readRule: AccessRule = { caller: "viewer", scope: "commands:read" }
const writeRule: AccessRule = { caller: "operator", scope: "commands:write", mutates: true }
const controlRule: AccessRule = { ...writeRule, failureCodes: ["bulk_retry_ended"] }

/** Durable bulk retries (bodies: bulk-retry-requests). */
export class BulkRetriesApi extends projectGroup("bulk_retries", "Commands")
  .add(
    HttpApiEndpoint.post("preview")`/projects/${slug}/bulk-retry-requests:preview`
      .setPath(pathWithVerb("preview"))
      .setPayload(BulkRetryPreviewRequest)
      .addSuccess(BulkRetryPreview)
      .annotate(Access, { caller: "operator", scope: "commands:read", heavy: "always" })
      .annotateContext(operation(
        "Preview a bulk retry",
        "How many tasks match, by engine, name and exception. Nothing is stored."
      ))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/bulk-retry-requests`
      .setPayload(BulkRetryRequestCreate)
      .addSuccess(BulkRetryRequestPublic, { status: 202 })
      .annotate(Access, {
        ...writeRule,
        creates: true,
        bucket: "bulk_write",
        failureCodes: ["too_many_bulk_retries", "idempotency_conflict", ...approvalCodes]
      })
      .annotateContext(operation(
        "Retry all tasks of a filter",
        "The matching tasks are frozen before the response, then retried one by one. 202: read it again for its progress."
      ))
  )
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/bulk-retry-requests`
      .setUrlParams(Schema.Struct(pageQuery))
      .addSuccess(BulkRetryRequestList)
      .annotate(Access, readRule)
      .annotateContext(operation("List bulk retries", "Newest first."))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/bulk-retry-requests/${requestId}`
      .addSuccess(BulkRetryRequestPublic)
      .annotate(Access, readRule)
      .annotateContext(operation("Show a bulk retry", "With its counts, and what it waits for."))
  )
  .add(
    HttpApiEndpoint.get("items")`/projects/${slug}/bulk-retry-requests/${requestId}/items`
      .setUrlParams(ListItems)
      .addSuccess(BulkRetryItemList)
      .annotate(Access, readRule)
      .annotateContext(
        operation("List the tasks of a bulk retry", "In the order of their retries, with their outcomes.")
      )
  )
  .add(
    HttpApiEndpoint.post("pause")`/projects/${slug}/bulk-retry-requests/${requestId}/pause`
      .addSuccess(BulkRetryRequestPublic)
      .annotate(Access, controlRule)
      .annotateContext(operation(
        "Pause a bulk retry",
        "No further task is retried, and commands that were not sent are taken back."
      ))
  )
  .add(
    HttpApiEndpoint.post("resume")`/projects/${slug}/bulk-retry-requests/${requestId}/resume`
      .setUrlParams(ResumeBulkRetry)
      .addSuccess(BulkRetryRequestPublic)
      .annotate(Access, controlRule)
      .annotateContext(operation("Resume a bulk retry", "It continues, at `rate_per_second` if that is given."))
  )
  .add(
    HttpApiEndpoint.post("cancel")`/projects/${slug}/bulk-retry-requests/${requestId}/cancel`
      .addSuccess(BulkRetryRequestPublic)
      .annotate(Access, { ...controlRule, destructive: true })
      .annotateContext(operation(
        "Cancel a bulk retry",
        "No further task is retried, for good. The outcomes of commands that were sent are still recorded."
      ))
  )
{}
