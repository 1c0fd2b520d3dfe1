import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { caseInsensitiveId, RuleId } from "../kernel/Id.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { RuleCreate, RuleTrigger } from "./Automation.ts"
import { ExecutedAction, Outcome } from "./Execution.ts"

/** The most days of history that a request may name. */
export const maxBacktestDays = 90

/** A rule to try on history: a saved one, or one that need not be saved. */
export const RuleBacktestRequest = Schema.Struct({
  rule: describeField(Schema.optional(RuleCreate), "The rule, as it would be created. Without `rule_id`.", {
    name: "Retry lost connections",
    trigger: "task.failed",
    conditions: { exception: "ConnectionError" },
    actions: [{ type: "retry", max_retries: 3 }],
    dry_run: true,
    is_enabled: true,
    max_executions_per_window: 100,
    window_seconds: 3600
  }),
  rule_id: describeField(
    Schema.optional(caseInsensitiveId(RuleId)),
    "A rule of the project instead. Without `rule`.",
    exampleId
  ),
  days: describeField(
    Schema.optionalWith(Schema.Int.pipe(Schema.between(1, maxBacktestDays)), { default: () => 7 }),
    "How many days of history, up to now.",
    7
  )
}).annotations({
  ...describeBody("RuleBacktestRequest", "Either `rule` or `rule_id`, and how much history the rule is tried on."),
  parseOptions: { onExcessProperty: "error" } // a misspelt field would try another rule
})
export type RuleBacktestRequest = typeof RuleBacktestRequest.Type

const count = (description: string, example: number) => describeField(Schema.NonNegativeInt, description, example)

const Counted = Schema.Struct({
  value: describeField(Schema.String, "The name, fingerprint or worker.", "shop.payments.charge"),
  count: count("Its matches.", 42)
}).annotations(describeBody("RuleBacktestCount", "How often one value is among the matches."))
export type Counted = typeof Counted.Type

export const BacktestDay = Schema.Struct({
  day: describeField(Schema.String, "The day in UTC.", "2026-01-31"),
  matched: count("Matches of that day.", 42),
  would_execute: count("Matches on which the rule would have acted.", 40)
}).annotations(describeBody("RuleBacktestDay", "The matches of one day."))
export type BacktestDay = typeof BacktestDay.Type

export const SuppressedMatches = Schema.Struct({
  degraded: count("By the rule's breaker.", 2),
  ceiling: count("By the project's ceiling of actions per minute.", 0),
  loop_guard: count("The retries of the task, and of those that it is a retry of, were used up.", 0),
  not_allowed: count("The engine keeps no arguments, or the event is about no task.", 0)
}).annotations(describeBody("RuleBacktestHeldBack", "Matches on which the rule would not have acted, by reason."))
export type SuppressedMatches = typeof SuppressedMatches.Type

export const BacktestSample = Schema.Struct({
  occurred_at: describeField(Timestamp, "When it happened.", exampleTime),
  action: describeField(ExecutedAction, "What the rule does first: retry or cancel, else notify.", "retry"),
  outcome: describeField(Outcome, "As in the rule's log; never dry_run.", "executed"),
  reason: describeField(Schema.NullOr(Schema.String), "Why the rule would not have acted.", null),
  engine: describeField(Schema.NullOr(Schema.String), "The engine.", "celery"),
  task_id: describeField(Schema.NullOr(Schema.String), "The task.", "6f2a"),
  task_name: describeField(Schema.NullOr(Schema.String), "The task's name.", "shop.payments.charge"),
  worker: describeField(Schema.NullOr(Schema.String), "The worker.", "celery@web-1"),
  detail: describeField(
    Schema.NullOr(Schema.String),
    "The first line of the exception, or what happened.",
    "ConnectionError: refused"
  )
}).annotations(describeBody("RuleBacktestSample", "One match."))
export type BacktestSample = typeof BacktestSample.Type

/** The most values of `task_names`, `fingerprints` and `workers`. */
export const maxTopValues = 10
export const maxSamples = 10
export const maxTrips = 100

const top = (of: string) =>
  describeField(Schema.Array(Counted), `Matches by ${of}, most frequent first, at most ${maxTopValues}.`)

/** What a rule would have done. */
export const RuleBacktest = Schema.Struct({
  trigger: describeField(RuleTrigger, "The trigger.", "task.failed"),
  days: count("The days of the request.", 7),
  covered_from: describeField(
    Timestamp,
    "From here on the history is complete: later than requested where retention has deleted it, or where `truncated`.",
    exampleTime
  ),
  covered_until: describeField(Timestamp, "When the history was read.", exampleTime),
  truncated: describeField(
    Schema.Boolean,
    "There was more history than one request reads; the newest part was read.",
    false
  ),
  scanned: count("Stored tasks, or misfires, that were read.", 12_345),
  matched: count("How often the rule matched.", 42),
  would_execute: count("How often the rule would have acted.", 40),
  held_back: describeField(SuppressedMatches, "The other matches, by reason."),
  trips: count("How often its breaker would have tripped.", 1),
  tripped_at: describeField(
    Schema.Array(Timestamp),
    `When its breaker would have tripped, the first ${maxTrips}.`,
    [exampleTime]
  ),
  per_day: describeField(Schema.Array(BacktestDay), "Days with matches, oldest first."),
  task_names: top("task name"),
  fingerprints: top("failure group"),
  workers: top("worker"),
  samples: describeField(Schema.Array(BacktestSample), `The newest matches, at most ${maxSamples}.`),
  notes: describeField(Schema.Array(Schema.String), "What this result cannot know, as sentences.", [
    "Retries of this rule would have changed what came after them."
  ])
}).annotations(describeBody("RuleBacktest", "What a rule would have done in the past. Nothing was changed."))
export type RuleBacktest = typeof RuleBacktest.Type
