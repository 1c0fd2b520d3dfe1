import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import { AutomationSettings, Rule, RuleCreate, RuleUpdate } from "../../../domain/automation/Automation.ts"
import { RuleBacktest, RuleBacktestRequest } from "../../../domain/automation/Backtest.ts"
import { ExecutionList, RuleList } from "../../../domain/automation/Execution.ts"
import { Access, type AccessRule } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, RuleId } from "../../../domain/kernel/Id.ts"
import { pageQuery } from "../../../domain/kernel/Query.ts"
import { pathWithVerb } from "../../CustomMethods.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const ruleId = pathParameter("rule_id", caseInsensitiveId(RuleId), "The rule's id.", exampleId)

const readRule: AccessRule = { caller: "viewer", scope: "automation:read" }
const writeRule: AccessRule = { caller: "operator", scope: "automation:write", mutates: true }
const steppedUp: AccessRule = { ...writeRule, failureCodes: ["mfa_reverify_required", ...approvalCodes] }

const switchRule: AccessRule = { ...writeRule, caller: "admin" }

const roles = "A rule that only notifies needs the role operator, a destructive one (retry, cancel) the role admin"
const signIn = "and, in a browser, a recent sign-in"

/** Automation rules (interface, Automation; bodies: automation). */
export class AutomationApi extends projectGroup("automation", "Automation")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/automation/rules`
      .addSuccess(RuleList)
      .annotate(Access, readRule)
      .annotateContext(
        operation("List rules", "All rules of the project, oldest first, each with the newest entry of its log.")
      )
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/automation/rules`
      .setPayload(RuleCreate)
      .addSuccess(Rule, { status: 201 })
      .annotate(Access, {
        ...steppedUp,
        creates: true,
        failureCodes: ["mfa_reverify_required", "too_many_automation_rules", ...approvalCodes]
      })
      .annotateContext(operation("Create a rule", `Dry run is the default. ${roles} ${signIn}.`))
  )
  .add(
    HttpApiEndpoint.post("backtest")`/projects/${slug}/automation/rules:backtest`
      .setPath(pathWithVerb("backtest"))
      .setPayload(RuleBacktestRequest)
      .addSuccess(RuleBacktest)
      .annotate(Access, { caller: "operator", scope: "automation:read", heavy: "always", bucket: "backtest" })
      .annotateContext(operation(
        "Try a rule on the past",
        "How often a rule would have acted in the last days, on what, and when its breaker would have tripped. " +
          "Nothing is stored. 422 for `worker.offline`, of which no history is kept."
      ))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/automation/rules/${ruleId}`
      .addSuccess(Rule)
      .annotate(Access, readRule)
      .annotateContext(operation("Get a rule", "With the state of its breaker."))
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/automation/rules/${ruleId}`
      .setPayload(RuleUpdate)
      .addSuccess(Rule)
      .annotate(Access, steppedUp)
      .annotateContext(operation(
        "Change a rule",
        `Absent and null fields keep their value. ${roles} ${signIn}: before or after the change.`
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/automation/rules/${ruleId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, writeRule)
      .annotateContext(operation("Delete a rule", `${roles}. Its log can no longer be read.`))
  )
  .add(
    HttpApiEndpoint.post("resetCircuit")`/projects/${slug}/automation/rules/${ruleId}/reset-circuit`
      .addSuccess(Rule)
      .annotate(Access, steppedUp)
      .annotateContext(operation(
        "Reset a rule's breaker",
        `The rule acts again, and earlier executions no longer count. ${roles} ${signIn}.`
      ))
  )
  .add(
    HttpApiEndpoint.get("executions")`/projects/${slug}/automation/rules/${ruleId}/executions`
      .setUrlParams(Schema.Struct(pageQuery))
      .addSuccess(ExecutionList)
      .annotate(Access, readRule)
      .annotateContext(operation(
        "List what a rule did",
        "Newest first: each execution, and what dry run, breaker, ceiling and loop guard suppressed."
      ))
  )
  .add(
    HttpApiEndpoint.get("getSettings")`/projects/${slug}/automation/settings`
      .addSuccess(AutomationSettings)
      .annotate(Access, readRule)
      .annotateContext(operation("Get the kill switch", "Enabled is the default."))
  )
  .add(
    HttpApiEndpoint.put("setSettings")`/projects/${slug}/automation/settings`
      .setPayload(AutomationSettings)
      .addSuccess(AutomationSettings)
      .annotate(Access, switchRule)
      .annotateContext(operation(
        "Set the kill switch",
        "False: no rule of the project does anything, and what happens is not kept for later."
      ))
  )
{}
