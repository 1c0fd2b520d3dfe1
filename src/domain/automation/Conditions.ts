import { Schema } from "effect"
import { describeBody, describeField } from "../kernel/Describe.ts"
import { TaskPriority } from "../kernel/TaskState.ts"
import { text } from "../kernel/Text.ts"

/** Alternatives of one condition. */
const maxAlternatives = 20

const oneOrMany = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optional(
    Schema.Union(schema, Schema.Array(schema).pipe(Schema.minItems(1), Schema.maxItems(maxAlternatives)))
  )

const millis = Schema.Number.pipe(Schema.between(0, 1e12))

const Runtime = Schema.Struct({
  min_ms: describeField(Schema.optional(millis), "At least this long, in milliseconds.", 1000),
  max_ms: describeField(Schema.optional(millis), "At most this long, in milliseconds.", 60_000)
}).annotations({
  ...describeBody("RuleRuntime", "How long the task's last attempt ran."),
  parseOptions: { onExcessProperty: "error" }
}).pipe(
  Schema.filter(({ max_ms, min_ms }) =>
    min_ms === undefined && max_ms === undefined
      ? "must have min_ms or max_ms"
      : (min_ms ?? 0) <= (max_ms ?? Infinity) || "min_ms must not be above max_ms"
  )
)

/** The `conditions` of a rule. Each is one value or several, any of which matches; all conditions must hold. */
export const Conditions = Schema.Struct({
  engine: describeField(oneOrMany(text(40, 1)), "The engine, or one of several.", "celery"),
  queue: describeField(oneOrMany(text(500, 1)), "The queue, or one of several.", "mail"),
  task_name: describeField(oneOrMany(text(500, 1)), "A glob of the task's name, or several.", "shop.payments.*"),
  exception: describeField(
    oneOrMany(text(500, 1)),
    "A part of the exception's first line; with `*`, `?` or `[` a glob of the whole line.",
    "ConnectionError"
  ),
  priority: describeField(oneOrMany(TaskPriority), "The task's priority, or one of several.", "high"),
  runtime: describeField(Schema.optional(Runtime), "How long the task's last attempt ran."),
  fingerprint: describeField(
    oneOrMany(text(64, 1)),
    "The group of the failure (`/issues`), or one of several.",
    "9f86d081884c7d65"
  )
}).annotations({
  ...describeBody("RuleConditions", "What must hold before a rule acts. All conditions must hold; none: every event."),
  parseOptions: { onExcessProperty: "error" } // without a misspelt condition the rule would act on more
})
export type Conditions = typeof Conditions.Type
