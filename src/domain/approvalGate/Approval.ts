import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { ApprovalId, ProjectId, UserId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { pageQuery } from "../kernel/Query.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** The error codes of an endpoint whose action may need approval. */
export const approvalCodes = ["approval_required", "too_many_approvals"] as const

/**
 * The actions that may need approval. Where there is a policy: a change of it (`policy`), and what makes people
 * deciders (`membership_*`, `invitation`, and `user_update` for global admins).
 */
export const ApprovalKind = Schema.Literal(
  "purge_queue",
  "bulk_retry",
  "bulk_retry_request",
  "bulk_delete",
  "bulk_cancel",
  "rule_create",
  "rule_update",
  "rule_reset",
  "membership_grant",
  "membership_role",
  "invitation",
  "user_update",
  "policy"
)
export type ApprovalKind = typeof ApprovalKind.Type

/** `approved`: it was approved and done. `failed`: it was approved, and then refused; `result` says why. */
export const ApprovalStatus = Schema.Literal("pending", "approved", "rejected", "expired", "failed")
export type ApprovalStatus = typeof ApprovalStatus.Type

const memberName =
  "The name that this person shows to others; null: none, or neither a member of the project nor a global admin."

export const Approval = Schema.Struct({
  id: describeField(ApprovalId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  kind: describeField(ApprovalKind, "What waits.", "purge_queue"),
  summary: describeField(Schema.String, "The same in words.", "Purge the queue slow"),
  request: describeField(Schema.Unknown, "The request's body.", { queue: "slow", observed_depth: 1200 }),
  before: describeField(
    Schema.NullOr(Schema.Unknown),
    "All of what it changes, as it was at the request, or how much it takes; null: nothing existed.",
    { queue: "slow", depths: { celery: 1200 } }
  ),
  after: describeField(
    Schema.NullOr(Schema.Unknown),
    "All of what it becomes; null: the action changes nothing in place.",
    null
  ),
  revision: describeField(
    Schema.NullOr(Schema.String),
    "A digest of what it changes. Where the digest is another one at the approval, the action fails.",
    null
  ),
  status: describeField(ApprovalStatus, "What became of it.", "pending"),
  requested_by: describeField(UserId, "Who asked.", exampleId),
  requested_by_name: describeField(Schema.NullOr(Schema.String), memberName, "Ada Lovelace"),
  decided_by: describeField(Schema.NullOr(UserId), "Who approved or rejected it.", null),
  decided_by_name: describeField(Schema.NullOr(Schema.String), memberName, null),
  reason: describeField(Schema.NullOr(Schema.String), "Why it was rejected.", null),
  result: describeField(
    Schema.NullOr(Schema.Unknown),
    "What was done: the id of the command, request or rule, or the problem's code and detail.",
    null
  ),
  created_at: describeField(Timestamp, "When it was asked for.", exampleTime),
  expires_at: describeField(Timestamp, "Until when it can be approved.", exampleTime),
  decided_at: describeField(Schema.NullOr(Timestamp), "When it was decided or expired.", null)
}).annotations(describeBody("Approval", "An action that waits for a second person."))
export type Approval = typeof Approval.Type

export const ApprovalList = Page(Approval).annotations(describeBody("ApprovalList", "A page of approvals."))

export const ListApprovals = Schema.Struct({
  ...pageQuery,
  status: describeField(Schema.optional(ApprovalStatus), "Only those of this status.", "pending")
})
export type ListApprovals = typeof ListApprovals.Type

export const RejectApproval = Schema.Struct({
  reason: describeField(Schema.optional(Schema.NullOr(text(500))), "Why, for the person who asked.", "Wrong queue")
}).annotations(describeBody("RejectApproval", "A rejection."))
