import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import type { Issue } from "../kernel/Errors.ts"
import { ProjectId, RuleId, UserId } from "../kernel/Id.ts"
import { patchField } from "../kernel/Patch.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { type Action, Actions, isDestructive } from "./Actions.ts"
import { Conditions } from "./Conditions.ts"

/** What a rule reacts to (interface, Automation rule). */
export const RuleTrigger = Schema.Literal(
  "task.failed",
  "task.succeeded",
  "task.retried",
  "task.orphaned",
  "worker.offline",
  "schedule.misfired"
)
export type RuleTrigger = typeof RuleTrigger.Type

const name = text(200, 1)
const maxExecutions = Schema.Int.pipe(Schema.between(1, 100_000))
const windowSeconds = Schema.Int.pipe(Schema.between(1, 604_800))

const about = {
  name: "Its name.",
  trigger: "What it reacts to.",
  conditions: "What must hold; every condition must.",
  actions: "What it does.",
  dry_run: "Whether it only records what it would do.",
  is_enabled: "Whether it takes part at all.",
  max: "More executions inside the window trip the breaker: the rule then only notifies.",
  window: "The length of the breaker's window in seconds."
}
const exampleConditions = { task_name: "shop.payments.*", exception: "ConnectionError" }
const exampleActions = [{ type: "retry", max_retries: 3 }] as const

/** An automation rule (bodies: RulePublic). */
export const Rule = Schema.Struct({
  id: describeField(RuleId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "Its project.", exampleId),
  name: describeField(Schema.String, about.name, "Retry lost connections"),
  is_enabled: describeField(Schema.Boolean, about.is_enabled, true),
  dry_run: describeField(Schema.Boolean, about.dry_run, true),
  trigger: describeField(RuleTrigger, about.trigger, "task.failed"),
  conditions: describeField(Conditions, about.conditions, exampleConditions),
  actions: describeField(Actions, about.actions, exampleActions),
  max_executions_per_window: describeField(Schema.Int, about.max, 100),
  window_seconds: describeField(Schema.Int, about.window, 3600),
  cb_tripped: describeField(Schema.Boolean, "Whether its breaker is tripped, so that it only notifies.", false),
  cb_execution_count: describeField(Schema.Int, "Executions inside the window, as of the last attempt.", 12),
  created_by: describeField(Schema.NullOr(UserId), "Who created it; null: the program.", exampleId),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  updated_at: describeField(Timestamp, "When it last changed.", exampleTime)
}).annotations(describeBody("AutomationRule", "What the brain does by itself when something happens."))
export type Rule = typeof Rule.Type

/** A new rule (bodies: RuleCreateRequest). */
export const RuleCreate = Schema.Struct({
  name: describeField(name, about.name, "Retry lost connections"),
  trigger: describeField(RuleTrigger, about.trigger, "task.failed"),
  conditions: describeField(
    Schema.optionalWith(Conditions, { default: () => ({}) }),
    about.conditions,
    exampleConditions
  ),
  actions: describeField(Schema.optionalWith(Actions, { default: () => [] }), about.actions, exampleActions),
  dry_run: describeField(Schema.optionalWith(Schema.Boolean, { default: () => true }), about.dry_run, true),
  is_enabled: describeField(Schema.optionalWith(Schema.Boolean, { default: () => true }), about.is_enabled, true),
  max_executions_per_window: describeField(
    Schema.optionalWith(maxExecutions, { default: () => 100 }),
    about.max,
    100
  ),
  window_seconds: describeField(Schema.optionalWith(windowSeconds, { default: () => 3600 }), about.window, 3600)
}).annotations(describeBody("RuleCreate", "A rule to create."))
export type RuleCreate = typeof RuleCreate.Type

/** The fields that a PATCH may change. */
export const ruleFields = {
  name,
  trigger: RuleTrigger,
  conditions: Conditions,
  actions: Actions,
  dry_run: Schema.Boolean,
  is_enabled: Schema.Boolean,
  max_executions_per_window: maxExecutions,
  window_seconds: windowSeconds
}

/** A change of a rule (bodies: RuleUpdateRequest). */
export const RuleUpdate = Schema.Struct({
  name: describeField(patchField(name), about.name, "Retry lost connections"),
  trigger: describeField(patchField(RuleTrigger), about.trigger, "task.failed"),
  conditions: describeField(patchField(Conditions), `${about.conditions} Replaces all.`, exampleConditions),
  actions: describeField(patchField(Actions), `${about.actions} Replaces all.`, exampleActions),
  dry_run: describeField(patchField(Schema.Boolean), about.dry_run, false),
  is_enabled: describeField(patchField(Schema.Boolean), about.is_enabled, true),
  max_executions_per_window: describeField(patchField(maxExecutions), about.max, 100),
  window_seconds: describeField(patchField(windowSeconds), about.window, 3600)
}).annotations(describeBody("RuleUpdate", "A change of a rule: absent or null fields keep their value."))
export type RuleUpdate = typeof RuleUpdate.Type

/** The project's kill switch (bodies: AutomationSettings). */
export const AutomationSettings = Schema.Struct({
  automation_enabled: describeField(Schema.Boolean, "False: no rule of the project does anything.", true)
}).annotations(describeBody("AutomationSettings", "The kill switch of a project's automation."))
export type AutomationSettings = typeof AutomationSettings.Type

/** What a rule reacts to and does. */
export type RuleShape = Pick<RuleCreate, "trigger" | "conditions" | "actions">

/** The conditions that apply to events without a task. */
const fieldsWithoutTask: Partial<Record<RuleTrigger, ReadonlyArray<string>>> = {
  "worker.offline": ["engine"],
  "schedule.misfired": ["engine", "queue", "task_name", "priority"]
}

const typesOf = (actions: ReadonlyArray<Action>): ReadonlyArray<Action["type"]> => actions.map(({ type }) => type)

/** Why a rule of this shape could never do what it says: its flaws. */
export const findFlaws = ({ actions, conditions, trigger }: RuleShape): ReadonlyArray<Issue> => {
  const fields = fieldsWithoutTask[trigger]
  const types = typesOf(actions)
  return [
    ...(fields === undefined ?
      [] :
      Object.keys(conditions).flatMap((field): ReadonlyArray<Issue> =>
        fields.includes(field) ? [] : [{
          path: `conditions.${field}`,
          message: `does not apply to ${trigger}, which has ${fields.join(", ")}`
        }]
      )),
    ...types.flatMap((type, index): ReadonlyArray<Issue> => {
      const path = `actions.${index}.type`
      if (fields !== undefined && type !== "notify") {
        return [{ path, message: `${type} needs a task, and ${trigger} is about none; use notify` }]
      }
      if (types.indexOf(type) < index) return [{ path, message: `${type} is there twice` }]
      if (type === "cancel" && types.includes("retry")) {
        return [{ path, message: "a rule either retries or cancels" }]
      }
      return []
    })
  ]
}

/** Whether changing the rule needs an admin: it acts on tasks, in a dry run too. */
export const needsAdmin = ({ actions }: { readonly actions: ReadonlyArray<Action> }): boolean => isDestructive(actions)
