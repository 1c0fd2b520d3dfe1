import { Effect, Schema } from "effect"
import type { ApprovalKind } from "../../domain/approvalGate/Approval.ts"
import type { RuleCreate, RuleUpdate } from "../../domain/automation/Automation.ts"
import { BulkJobFilter } from "../../domain/commands/BulkJob.ts"
import { BulkRetryRequestCreate } from "../../domain/commands/BulkRetry.ts"
import type { BulkRetry, PurgeQueue } from "../../domain/commands/Command/Requests.ts"
import type { CreateInvitation } from "../../domain/identity/Invitation.ts"
import type { GrantMembership } from "../../domain/identity/Membership.ts"
import type { UpdateUser } from "../../domain/identity/User.ts"
import type { Role, Scope } from "../../domain/kernel/Access.ts"
import { Conflict } from "../../domain/kernel/Errors.ts"
import type { MembershipId, RuleId, UserId } from "../../domain/kernel/Id.ts"
import type { UpdateProject } from "../../domain/kernel/Project.ts"
import { omitNullTerms } from "../../domain/kernel/Query.ts"
import type * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { ApprovalRow } from "../approvalGate/Repo.ts"
import { AutomationRules } from "../automation/AutomationRules.ts"
import { BulkJobs } from "../commands/BulkJobs.ts"
import { BulkRetries } from "../commands/BulkRetries.ts"
import { Commands } from "../commands/Commands.ts"
import { Invitations } from "../identity/Invitations.ts"
import { Memberships } from "../identity/Memberships.ts"
import { Projects } from "../identity/Projects.ts"
import { Users } from "../identity/Users.ts"
import { Tasks } from "../tasks/Tasks.ts"

/** Reads terms that a former version may have stored: those that it did not know are null. Unknown ones are refused. */
const readAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema, { onExcessProperty: "error" })
  return (request: unknown) =>
    Effect.mapError(decode(request), () =>
      new Conflict({
        code: "approval_outdated",
        detail: "Another version of the program stored this request. If it is still needed, it must be requested again."
      }))
}
const readRetry = readAs(BulkRetryRequestCreate)
const readFilter = readAs(BulkJobFilter)

interface Needs {
  /** The scope that an API key needs for the action itself: approving must not do more than the key may. */
  readonly scope: Scope
  /** Who may do the action, and so ask for it. */
  readonly roles: ReadonlyArray<Role> | "global_admin"
}

const ofOperators = ["operator", "admin"] as const
const ofAdmins = ["admin"] as const

export const needsOf: Readonly<Record<ApprovalKind, Needs>> = {
  purge_queue: { scope: "commands:write", roles: ofAdmins },
  bulk_retry: { scope: "commands:write", roles: ofOperators },
  bulk_retry_request: { scope: "commands:write", roles: ofOperators },
  bulk_delete: { scope: "tasks:delete", roles: ofAdmins },
  bulk_cancel: { scope: "commands:write", roles: ofOperators },
  rule_create: { scope: "automation:write", roles: ofOperators },
  rule_update: { scope: "automation:write", roles: ofOperators },
  rule_reset: { scope: "automation:write", roles: ofOperators },
  membership_grant: { scope: "memberships:write", roles: ofAdmins },
  membership_role: { scope: "memberships:write", roles: ofAdmins },
  invitation: { scope: "memberships:write", roles: ofAdmins },
  user_update: { scope: "users:write", roles: "global_admin" },
  policy: { scope: "projects:write", roles: ofAdmins }
}

/** What a person may find under this id. */
export interface Done {
  readonly type: string
  readonly id?: string
  readonly deleted_count?: number
  /** The link of an invitation, a secret: only the person who approves gets it, and it is not stored. */
  readonly accept_url_path?: string
}

/** Does what an approval was asked for. */
export const makeApprovedActions = Effect.gen(function*() {
  const commands = yield* Commands
  const bulkJobs = yield* BulkJobs
  const bulkRetries = yield* BulkRetries
  const tasks = yield* Tasks
  const rules = yield* AutomationRules
  const memberships = yield* Memberships
  const invitations = yield* Invitations
  const users = yield* Users
  const projects = yield* Projects

  /** With a filter a job, which deletes what matched at the request: the approval is not about later tasks. */
  const deleteTasks = Effect.fnUntraced(function*(terms: BulkJobFilter, requestedAt: Timestamp.Timestamp) {
    if (Object.keys(omitNullTerms(terms)).every((name) => name === "task_ids")) {
      return { type: "tasks", deleted_count: yield* tasks.bulkDelete(terms) } satisfies Done
    }
    const { id } = yield* bulkJobs.deleteMatching(terms, requestedAt)
    return { type: "bulk_job", id } satisfies Done
  })

  /** The casts: `ApprovalGate.check` stored the request of this kind. */
  const perform = ({ created_at, kind, request }: ApprovalRow) => {
    const toDone = (type: string) => Effect.map(({ id }: { readonly id: string }): Done => ({ type, id }))
    switch (kind) {
      case "purge_queue":
        return toDone("command")(commands.purgeQueue(request as PurgeQueue))
      case "bulk_retry":
        return toDone("command")(commands.bulkRetry(request as BulkRetry))
      case "bulk_retry_request":
        return toDone("bulk_retry_request")(
          Effect.flatMap(readRetry(request), (input) => bulkRetries.create(input, created_at))
        )
      case "bulk_delete":
        return Effect.flatMap(readFilter(request), (terms) => deleteTasks(terms, created_at))
      case "bulk_cancel":
        return toDone("bulk_job")(
          Effect.flatMap(readFilter(request), (terms) => bulkJobs.cancelMatching(terms, created_at))
        )
      case "rule_create":
        return toDone("automation_rule")(rules.create(request as RuleCreate))
      case "rule_update": {
        const { body, rule_id } = request as { readonly rule_id: RuleId; readonly body: RuleUpdate }
        return toDone("automation_rule")(rules.update(rule_id, body))
      }
      case "rule_reset":
        return toDone("automation_rule")(rules.resetCircuit((request as { readonly rule_id: RuleId }).rule_id))
      case "membership_grant":
        return toDone("membership")(memberships.grant(request as GrantMembership))
      case "membership_role": {
        const { membership_id, role } = request as { readonly membership_id: MembershipId; readonly role: Role }
        return toDone("membership")(memberships.setRole(membership_id, role))
      }
      case "invitation":
        return Effect.map(
          invitations.create(request as CreateInvitation),
          ({ accept_url_path, invitation }): Done => ({ type: "invitation", id: invitation.id, accept_url_path })
        )
      case "user_update": {
        const { body, user_id } = request as { readonly user_id: UserId; readonly body: UpdateUser }
        return toDone("user")(users.update(user_id, body))
      }
      case "policy":
        return toDone("project")(projects.update(request as UpdateProject))
    }
  }

  return { perform } as const
})
