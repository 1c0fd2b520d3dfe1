import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const approvals = {
  title: common.approvals,
  intro: "Actions that need a second person's approval. Admins choose which in Settings.",
  filter: common.status,
  none: "Nothing is waiting for approval",
  noneHint:
    "Purges, large bulk actions and rules that retry or cancel appear here if the project's settings require approval.",
  noneOfStatus: "No approvals with this status",
  tabs: {
    pending: common.waiting,
    approved: "Completed",
    failed: common.failed,
    rejected: "Rejected",
    expired: "Expired",
    all: common.all
  },
  statusHints: {
    pending: "Nothing has been done yet. The action runs in the name of the user who approves it.",
    approved: "A second person approved it, and it was completed.",
    failed: "A second person approved it, but then the server refused it. Nothing was done.",
    rejected: "A second person rejected it. Nothing was done.",
    expired: "No second person decided in time. Nothing was done. The action can be requested again."
  },
  kinds: {
    purge_queue: "Purge of a queue",
    bulk_retry: "Retry of many tasks",
    bulk_retry_request: common.bulkRetry,
    bulk_delete: "Deletion of many tasks",
    bulk_cancel: "Cancellation of many tasks",
    rule_create: "New automation rule",
    rule_update: "Change of an automation rule",
    rule_reset: "Breaker of an automation rule",
    membership_grant: "New project admin",
    membership_role: "Role of a member",
    invitation: "Invitation of an admin",
    user_update: "Rights of an account",
    policy: "Change of what needs approval"
  },
  requestedByName: (name: string) => `requested by ${name}`,
  kind: common.kind,
  requestedBy: "Requested by",
  requestedAt: "Requested",
  expiresAt: common.expires,
  decidedBy: "Decided by",
  decidedAt: "Decided",
  reason: common.reason,
  request: "Request",
  result: common.result,
  change: "What changes",
  before: "Before",
  after: "After",
  revision: (r: string) => `Revision ${r}`,
  outdated:
    "Its target had changed since the request, or it would have affected more than it did then. Nothing was done. Request it again if it is still needed.",
  noResult: "The server stopped before it stored the result. Check whether it was done; it is not repeated.",
  approve: "Approve",
  reject: "Reject",
  own: "You requested this, so another admin decides.",
  needsAdmin: "A project admin decides.",
  approveQuestion: "Approve and run?",
  approveHint: (name: string) => `It runs at once, in your name. ${name} requested it and gets a message.`,
  rejectQuestion: "Reject this?",
  rejectHint: (name: string) => `Nothing is done. ${name} gets a message with the reason.`,
  rejectReason: common.reason,
  approved: "Approved and completed",
  failed: "Approved, then refused by the server",
  see: "Show the approval",
  waiting: (count: Count) => `${count.text} waiting for you`,
  notWaiting: "It is no longer waiting: it was decided or has expired."
}
