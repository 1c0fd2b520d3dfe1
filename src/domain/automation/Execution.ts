import { Schema } from "effect"
import { TaskOutcome } from "../commands/BulkRetry/TaskOutcome.ts"
import { CommandStatus } from "../commands/Command.ts"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { CommandId, ExecutionId, RuleId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { Rule, RuleTrigger } from "./Automation.ts"

/**
 * What became of an event that matched a rule.
 *
 * - `executed`: the rule acted
 * - `dry_run`: the rule would have acted
 * - `degraded`: the breaker is tripped, so the rule only notifies
 * - `ceiling`: the project's rules acted as often as they may within a minute
 * - `loop_guard`: the task was retried by rules as often as the rule allows, or for this failure already
 * - `not_allowed`: no agent takes the command now, the task changed since, or the engine needs what a rule does not have
 */
export const Outcome = Schema.Literal(
  "executed",
  "dry_run",
  "degraded",
  "ceiling",
  "loop_guard",
  "not_allowed"
)
export type Outcome = typeof Outcome.Type

export const ExecutedAction = Schema.Literal("retry", "cancel", "notify")
export type ExecutedAction = typeof ExecutedAction.Type

/** An entry of a rule's log. */
export const Execution = Schema.Struct({
  id: describeField(ExecutionId, "Its id.", exampleId),
  rule_id: describeField(RuleId, "The rule.", exampleId),
  trigger: describeField(RuleTrigger, "What happened.", "task.failed"),
  action: describeField(ExecutedAction, "What the rule does first: retry or cancel, else notify.", "retry"),
  outcome: describeField(
    Outcome,
    "What became of it: executed, dry_run, degraded (the breaker), ceiling, loop_guard or not_allowed.",
    "executed"
  ),
  occurrences: describeField(Schema.Int, "Times that this entry counts.", 1),
  engine: describeField(Schema.NullOr(Schema.String), "The engine.", "celery"),
  task_id: describeField(Schema.NullOr(Schema.String), "The task; null: several, or none.", "6f2a"),
  task_name: describeField(Schema.NullOr(Schema.String), "The task's name.", "shop.payments.charge"),
  command_id: describeField(Schema.NullOr(CommandId), "The command that the rule issued.", exampleId),
  command_status: describeField(Schema.NullOr(CommandStatus), "How far that command is.", "completed"),
  task_outcome: describeField(
    Schema.NullOr(TaskOutcome),
    "What became of the task that the command retried; null: no confirmed retry.",
    "failed"
  ),
  detail: describeField(Schema.NullOr(Schema.String), "Why the rule did not act.", "3 of 3 retries are used up."),
  occurred_at: describeField(Timestamp, "When the newest of them happened.", exampleTime),
  created_at: describeField(Timestamp, "When the rule was evaluated.", exampleTime)
}).annotations(describeBody("RuleExecution", "What a rule did, or would have done."))
export type Execution = typeof Execution.Type

const LastExecution = Schema.Struct({
  outcome: describeField(Outcome, "What became of it.", "executed"),
  occurred_at: describeField(Timestamp, "When the newest of what it counts happened.", exampleTime)
}).annotations(describeBody("LastRuleExecution", "The newest entry of a rule's log."))

/** A rule in the list of its project. */
export const ListedRule = Schema.Struct({
  ...Rule.fields,
  last_execution: describeField(
    Schema.NullOr(LastExecution),
    "The newest entry of its log; null: the log is empty.",
    { outcome: "executed", occurred_at: exampleTime }
  )
}).annotations(describeBody("ListedRule", "A rule, and what it did last."))
export type ListedRule = typeof ListedRule.Type

export const RuleList = Schema.Struct({
  items: describeField(Schema.Array(ListedRule), "All rules of the project, oldest first.")
}).annotations(describeBody("RuleList", "The automation rules of a project."))

export const ExecutionList = Page(Execution).annotations(
  describeBody("RuleExecutionList", "What a rule did, newest first.")
)
