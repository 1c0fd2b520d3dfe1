import { Schema } from "effect"
import { describeBody, describeField, exampleId } from "../kernel/Describe.ts"
import { Id } from "../kernel/Id.ts"

/** On the literal itself: JSON Schema drops a property's annotations where a sibling has a default. */
const typeField = <T extends string>(type: T) =>
  Schema.Literal(type).annotations({ description: `\`${type}\`.`, examples: [type] })

const strict = { parseOptions: { onExcessProperty: "error" } } as const

export const Notify = Schema.Struct({
  type: typeField("notify"),
  channel_ids: describeField(
    Schema.optionalWith(Schema.Array(Id).pipe(Schema.maxItems(20)), { default: () => [] }),
    "Channels of the project that get a message.",
    [exampleId]
  ),
  in_app: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => true }),
    "Whether the project's members get the message in their inbox.",
    true
  )
}).annotations({ ...describeBody("NotifyAction", "Notifies people."), ...strict })
export type Notify = typeof Notify.Type

export const Retry = Schema.Struct({
  type: typeField("retry"),
  max_retries: describeField(
    Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 100)), { default: () => 3 }),
    "Retries by rules of one task, and of the tasks that its retries created, together.",
    3
  )
}).annotations({ ...describeBody("RetryAction", "Submits the task again."), ...strict })

export const Cancel = Schema.Struct({
  type: typeField("cancel")
}).annotations({ ...describeBody("CancelAction", "Cancels the task."), ...strict })

/** The types webhook, revoke, purge and pause_schedule of the contract's grammar cannot be executed: 422. */
export const Action = Schema.Union(Notify, Retry, Cancel)
export type Action = typeof Action.Type

export const Actions = Schema.Array(Action).pipe(Schema.maxItems(10))

/** Retry and cancel act on tasks (interface, Automation rule). */
export const isDestructive = (actions: ReadonlyArray<Action>): boolean => actions.some(({ type }) => type !== "notify")
