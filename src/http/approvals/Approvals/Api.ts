import { HttpApiEndpoint } from "@effect/platform"
import { Approval, ApprovalList, ListApprovals, RejectApproval } from "../../../domain/approvalGate/Approval.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { ApprovalId, caseInsensitiveId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const approvalId = pathParameter("approval_id", caseInsensitiveId(ApprovalId), "The approval's id.", exampleId)

/** Actions that wait for a second person (docs/approvals.md). */
export class ApprovalsApi extends projectGroup("approvals", "Projects")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/approvals`
      .setUrlParams(ListApprovals)
      .addSuccess(ApprovalList)
      .annotate(Access, { caller: "operator", scope: "projects:read" })
      .annotateContext(operation("List approvals", "Newest first: what waits for a second person, and what did."))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/approvals/${approvalId}`
      .addSuccess(Approval)
      .annotate(Access, { caller: "operator", scope: "projects:read" })
      .annotateContext(operation("Show an approval", "With the request that waits, and what became of it."))
  )
  .add(
    HttpApiEndpoint.post("approve")`/projects/${slug}/approvals/${approvalId}/approve`
      .addSuccess(Approval)
      .annotate(Access, {
        caller: "admin",
        scope: "projects:write",
        mutates: true,
        stepUp: true,
        failureCodes: ["own_approval", "decider_too_new", "approval_decided"]
      })
      .annotateContext(operation(
        "Approve what waits, and do it",
        "By another person than the one who asked. `status` is `failed` where the action was refused, or what was read has " +
          "become something else (`approval_outdated`); `result` says why."
      ))
  )
  .add(
    HttpApiEndpoint.post("reject")`/projects/${slug}/approvals/${approvalId}/reject`
      .setPayload(RejectApproval)
      .addSuccess(Approval)
      .annotate(Access, {
        caller: "admin",
        scope: "projects:write",
        mutates: true,
        failureCodes: ["own_approval", "approval_decided"]
      })
      .annotateContext(operation("Reject what waits", "The person who asked gets a message with the reason."))
  )
{}
