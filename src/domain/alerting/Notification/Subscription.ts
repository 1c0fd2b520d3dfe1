import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { Id, IdInput, ProjectId, SubscriptionId, UserId } from "../../kernel/Id.ts"
import { Page } from "../../kernel/Page.ts"
import { patchField } from "../../kernel/Patch.ts"
import { pageQuery, wholeNumber } from "../../kernel/Query.ts"
import { TaskPriority } from "../../kernel/TaskState.ts"
import { nullish, text } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { isProjectTrigger, Trigger } from "../../triggers/Trigger.ts"
import { channelIds, Escalation, Grouping, ProjectEscalation, SendHours } from "./Hygiene.ts"

/** Who is notified of what, through which channels (interface, Notification default, subscription). */

const filterFields = {
  priority: describeField(
    nullish(Schema.Array(TaskPriority).pipe(Schema.maxItems(8))),
    "Priorities, any of them matches; null or empty: every priority.",
    ["critical", "high"]
  ),
  priority_min: describeField(nullish(TaskPriority), "This priority or a higher one.", "high"),
  priority_max: describeField(nullish(TaskPriority), "This priority or a lower one.", "critical"),
  task_name: describeField(nullish(text(500)), "A glob for the task's name, as Python's fnmatch reads it.", "shop.*"),
  task_name_pattern: describeField(nullish(text(200)), "A second such glob; both must match.", "*.pay"),
  queue: describeField(nullish(text(200)), "The queue's name.", "payments"),
  engine: describeField(nullish(text(40)), "The engine's name.", "celery"),
  rate_percent: describeField(
    nullish(Schema.Number.pipe(Schema.between(0.1, 100))),
    "For `task.failure_rate`: the share of failed tasks, in percent, from which it fires.",
    20
  ),
  window_seconds: describeField(
    nullish(Schema.Int.pipe(Schema.between(60, 86_400))),
    "For `task.failure_rate`: the time over which the share is counted.",
    300
  ),
  min_tasks: describeField(
    nullish(Schema.Int.pipe(Schema.between(1, 1_000_000))),
    "For `task.failure_rate`: with fewer tasks in the window the share is not evaluated.",
    20
  )
}

/** All must match. */
export const SubscriptionFilters = Schema.Struct(filterFields)
export type SubscriptionFilters = typeof SubscriptionFilters.Type

const rateFilters = ["rate_percent", "window_seconds", "min_tasks"] as const

/** Why filters do not suit a trigger, by field; null: they do. */
export const findUnsuitedFilter = (trigger: Trigger, filters: SubscriptionFilters): string | null =>
  trigger === "task.failure_rate" ? null : rateFilters.find((name) => filters[name] !== null) ?? null

/** The filters that restrict something, as responses show them. */
export const setFilters = (filters: SubscriptionFilters): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null))

/** What a personal subscription may react to. */
export const PersonalTrigger = Trigger.pipe(
  Schema.filter((trigger) => !isProjectTrigger(trigger) || "is available on project defaults only")
)

const cooldown = Schema.Int.pipe(Schema.between(0, 86_400))

/** As bodies give them: with two settings of the subscription (interface, Filters on subscriptions), stored as its own. */
const FiltersInput = Schema.Struct({
  ...filterFields,
  cooldown_seconds: describeField(nullish(cooldown), "The subscription's `cooldown_seconds`; overrides it.", 300),
  muted_until: describeField(nullish(Timestamp), "The subscription's `muted_until`; overrides it.", exampleTime)
}).annotations({
  ...describeBody("SubscriptionFilters", "Which events of the trigger count; all filters must match."),
  parseOptions: { onExcessProperty: "error" } // a misspelt filter would let everything through
})
type FiltersInput = typeof FiltersInput.Type

const descriptions = {
  trigger: "What it reacts to.",
  filters: "Which events count; all filters must match.",
  in_app: "Whether messages also go to the inbox.",
  inAppDefault: "Whether messages also go to the inbox of every member.",
  projectChannels: "Channels of the project that messages go to.",
  userChannels: "The user's own channels that messages go to.",
  cooldown: "Seconds in which a condition is not repeated after a message about it.",
  grouping: "How occurrences become few messages; null: one message for each occurrence, at once.",
  recovery: "Whether a message reports the recovery.",
  sendHours: "When messages are sent; null: at any time.",
  escalation: "Further channels for an alert that is not acknowledged; null: none.",
  muted: "Nothing happens until then; null: not muted.",
  active: "Whether it reacts at all."
}
const { trigger: triggerText, filters: filtersText } = descriptions
const groupingExample = { wait_seconds: 30, interval_seconds: 300, repeat_seconds: 14_400 }
const sendHoursExample = {
  mode: "except",
  start: "22:00",
  end: "07:00",
  timezone: "Europe/Berlin",
  always_critical: true
} as const
const projectEscalationExample = { after_minutes: 15, project_channel_ids: [exampleId] }
const escalationExample = { ...projectEscalationExample, user_channel_ids: [] }

const optional = <A, I>(schema: Schema.Schema<A, I>, fallback: () => NoInfer<A>) =>
  Schema.optionalWith(schema, { default: fallback })

const emptyFilters = (): FiltersInput => Schema.decodeSync(FiltersInput)({})

const createFields = {
  filters: describeField(optional(FiltersInput, emptyFilters), filtersText),
  project_channel_ids: describeField(optional(channelIds, () => []), descriptions.projectChannels, [exampleId]),
  cooldown_seconds: describeField(optional(cooldown, () => 0), descriptions.cooldown, 300),
  grouping: describeField(
    Schema.optional(Schema.NullOr(Grouping)),
    `${descriptions.grouping} Absent: the values of the example.`,
    groupingExample
  ),
  notify_recovery: describeField(optional(Schema.Boolean, () => true), descriptions.recovery, true),
  send_hours: describeField(nullish(SendHours), descriptions.sendHours, sendHoursExample),
  muted_until: describeField(nullish(Timestamp), descriptions.muted, exampleTime)
}

/** bodies: DefaultSubscriptionCreate. */
export const DefaultSubscriptionCreate = Schema.Struct({
  trigger: describeField(Trigger, triggerText, "task.failed"),
  in_app: describeField(optional(Schema.Boolean, () => true), descriptions.inAppDefault, true),
  ...createFields,
  escalation: describeField(nullish(ProjectEscalation), descriptions.escalation, projectEscalationExample)
}).annotations(describeBody("DefaultSubscriptionCreate", "A new default of a project."))
export type DefaultSubscriptionCreate = typeof DefaultSubscriptionCreate.Type

/** bodies: UserSubscriptionCreate. */
export const UserSubscriptionCreate = Schema.Struct({
  project_id: describeField(IdInput, "The project's id.", exampleId),
  trigger: describeField(PersonalTrigger, triggerText, "task.failed"),
  in_app: describeField(optional(Schema.Boolean, () => true), descriptions.in_app, true),
  ...createFields,
  user_channel_ids: describeField(optional(channelIds, () => []), descriptions.userChannels, [exampleId]),
  escalation: describeField(nullish(Escalation), descriptions.escalation, escalationExample)
}).annotations(describeBody("UserSubscriptionCreate", "A new subscription of the caller."))
export type UserSubscriptionCreate = typeof UserSubscriptionCreate.Type

const changeFields = {
  filters: describeField(patchField(FiltersInput), filtersText),
  in_app: describeField(patchField(Schema.Boolean), descriptions.in_app, true),
  project_channel_ids: describeField(patchField(channelIds), descriptions.projectChannels, [exampleId]),
  cooldown_seconds: describeField(patchField(cooldown), descriptions.cooldown, 300),
  grouping: describeField(patchField(Grouping), descriptions.grouping, groupingExample),
  notify_recovery: describeField(patchField(Schema.Boolean), descriptions.recovery, true),
  send_hours: describeField(patchField(SendHours), descriptions.sendHours, sendHoursExample),
  muted_until: describeField(patchField(Timestamp), descriptions.muted, exampleTime),
  is_active: describeField(patchField(Schema.Boolean), descriptions.active, true)
}

/** bodies: DefaultSubscriptionUpdate. */
export const DefaultSubscriptionUpdate = Schema.Struct({
  trigger: describeField(patchField(Trigger), triggerText, "task.failed"),
  ...changeFields,
  escalation: describeField(patchField(ProjectEscalation), descriptions.escalation, projectEscalationExample)
}).annotations(describeBody("DefaultSubscriptionUpdate", "Changes of a default; absent fields keep their values."))
export type DefaultSubscriptionUpdate = typeof DefaultSubscriptionUpdate.Type

/** bodies: UserSubscriptionUpdate. */
export const UserSubscriptionUpdate = Schema.Struct({
  trigger: describeField(patchField(PersonalTrigger), triggerText, "task.failed"),
  ...changeFields,
  user_channel_ids: describeField(patchField(channelIds), descriptions.userChannels, [exampleId]),
  escalation: describeField(patchField(Escalation), descriptions.escalation, escalationExample)
}).annotations(describeBody("UserSubscriptionUpdate", "Changes of a subscription; absent fields keep their values."))
export type UserSubscriptionUpdate = typeof UserSubscriptionUpdate.Type

const publicFields = {
  id: describeField(SubscriptionId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  trigger: describeField(Trigger, triggerText, "task.failed"),
  filters: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "Which events count; filters that restrict nothing are left out.",
    { task_name: "shop.*" }
  ),
  in_app: describeField(Schema.Boolean, descriptions.in_app, true),
  project_channel_ids: describeField(Schema.Array(Id), descriptions.projectChannels, [exampleId]),
  cooldown_seconds: describeField(Schema.Int, descriptions.cooldown, 300),
  grouping: describeField(Schema.NullOr(Schema.typeSchema(Grouping)), descriptions.grouping, groupingExample),
  notify_recovery: describeField(Schema.Boolean, descriptions.recovery, true),
  send_hours: describeField(Schema.NullOr(Schema.typeSchema(SendHours)), descriptions.sendHours, sendHoursExample),
  muted_until: describeField(Schema.NullOr(Timestamp), descriptions.muted, exampleTime),
  is_active: describeField(Schema.Boolean, descriptions.active, true),
  last_fired_at: describeField(Schema.NullOr(Timestamp), "When it last sent a message.", exampleTime),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  updated_at: describeField(Timestamp, "When it last changed.", exampleTime)
}

/** bodies: DefaultSubscriptionPublic. */
export const DefaultSubscription = Schema.Struct({
  ...publicFields,
  escalation: describeField(
    Schema.NullOr(Schema.typeSchema(ProjectEscalation)),
    descriptions.escalation,
    projectEscalationExample
  )
}).annotations(describeBody("DefaultSubscription", "A default subscription of a project."))
export type DefaultSubscription = typeof DefaultSubscription.Type

/** bodies: UserSubscriptionPublic. */
export const UserSubscription = Schema.Struct({
  ...publicFields,
  user_id: describeField(UserId, "The user's id.", exampleId),
  user_channel_ids: describeField(Schema.Array(Id), descriptions.userChannels, [exampleId]),
  escalation: describeField(
    Schema.NullOr(Schema.typeSchema(Escalation)),
    descriptions.escalation,
    escalationExample
  )
}).annotations(describeBody("UserSubscription", "What a user is notified of."))
export type UserSubscription = typeof UserSubscription.Type

export const UserSubscriptionList = Page(UserSubscription).annotations(
  describeBody("UserSubscriptionList", "A page of the caller's subscriptions.")
)

export const ListUserSubscriptions = Schema.Struct({
  project_id: describeField(Schema.optional(IdInput), "Only those of this project.", exampleId),
  cursor: pageQuery.cursor,
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "Rows of a page; 50 without it.", 50)
})
export type ListUserSubscriptions = typeof ListUserSubscriptions.Type
