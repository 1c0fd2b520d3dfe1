import { Effect } from "effect"
import { findFlaws, needsAdmin, type RuleShape } from "../../domain/automation/Automation.ts"
import type { Role } from "../../domain/kernel/Access.ts"
import { type Issue, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { ChannelsRepo } from "../alerting/Channels/Repo.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import type { Subject } from "../approvalGate/Subject.ts"
import { requireRole, requireStepUp } from "../kernel/CurrentActor.ts"
import type { RuleRow } from "./RulesRepo.ts"

type WithActions = Pick<RuleRow, "actions">

/** Operators keep rules that notify, admins rules that retry or cancel (interface, Automation). */
export const roleFor = (shapes: ReadonlyArray<WithActions>): Role => (shapes.some(needsAdmin) ? "admin" : "operator")

/** Fails for a rule that could never do what it says. */
export const checkShape = (shape: RuleShape) => {
  const issues = findFlaws(shape)
  return issues.length === 0 ? Effect.void : new ValidationFailed({ issues })
}

/** What a change of rules must pass, before and after it. */
export const makeRuleChecks = Effect.gen(function*() {
  const gate = yield* ApprovalGate
  const channels = yield* ChannelsRepo

  /** Fails unless the actor may change rules of all these shapes, with a recent sign-in for destructive ones. */
  const authorize = Effect.fnUntraced(
    function*(projectId: ProjectId, shapes: ReadonlyArray<WithActions>) {
      const role = roleFor(shapes)
      yield* requireRole(projectId, role)
      if (role === "admin") yield* requireStepUp
    }
  )

  /** Requires an approval for a change of destructive rules where the project wants a second person. */
  const checkApproval = (
    kind: "rule_create" | "rule_reset" | "rule_update",
    request: unknown,
    { name }: { readonly name: string },
    subject: Subject,
    shapes: ReadonlyArray<WithActions>
  ) => {
    const verb = { rule_create: "Create", rule_update: "Change", rule_reset: "Arm the breaker of" }[kind]
    const summary = `${verb} the rule "${name}", which retries or cancels tasks`
    return gate.check(
      { kind, request, summary, subject: Effect.succeed(subject) },
      ({ destructive_rules }) => destructive_rules && roleFor(shapes) === "admin"
    )
  }

  /** Fails where an action names a channel that is none of the project's. */
  const checkChannels = Effect.fnUntraced(function*(projectId: ProjectId, { actions }: WithActions) {
    const named = actions.flatMap((action) => (action.type === "notify" ? action.channel_ids : []))
    const refs = yield* channels.listRefs({ project_id: projectId }, named)
    const known = new Set<string>(refs.flatMap(({ id, is_active }) => (is_active ? [id] : [])))
    const issues = actions.flatMap((action, index): ReadonlyArray<Issue> =>
      action.type !== "notify" || action.channel_ids.every((id) => known.has(id))
        ? []
        : [{
          path: `actions.${index}.channel_ids`,
          message: "names a channel that is not an active one of the project"
        }]
    )
    if (issues.length > 0) return yield* new ValidationFailed({ issues })
  })

  return { authorize, checkApproval, checkChannels } as const
})
