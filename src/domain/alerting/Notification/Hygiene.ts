import { Schema } from "effect"
import { describeBody, describeField, exampleId } from "../../kernel/Describe.ts"
import { IdInput } from "../../kernel/Id.ts"
import { text } from "../../kernel/Text.ts"
import { findZone } from "../../kernel/Zone.ts"

/** Refuses unknown fields, because a misspelt setting would silence or repeat messages. */
const strict = { parseOptions: { onExcessProperty: "error" } } as const

const seconds = (min: number, max: number) => Schema.Int.pipe(Schema.between(min, max))

/** How many occurrences of one condition become few messages. */
export const Grouping = Schema.Struct({
  wait_seconds: describeField(
    Schema.optionalWith(seconds(0, 3600), { default: () => 30 }),
    "The first message waits this long for further occurrences.",
    30
  ),
  interval_seconds: describeField(
    Schema.optionalWith(seconds(10, 86_400), { default: () => 300 }),
    "The shortest time between two messages, which the second needs news for.",
    300
  ),
  repeat_seconds: describeField(
    Schema.optionalWith(seconds(60, 604_800), { default: () => 14_400 }),
    "While the condition lasts without news, a message is sent this often.",
    14_400
  )
}).annotations({ ...describeBody("Grouping", "How occurrences of one condition become one message."), ...strict })
export type Grouping = typeof Grouping.Type

export const defaultGrouping: Grouping = { wait_seconds: 30, interval_seconds: 300, repeat_seconds: 14_400 }

/** `22:00` to minutes since midnight. */
export const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

const clock = Schema.String.pipe(
  Schema.pattern(/^([01]\d|2[0-3]):[0-5]\d$/, { message: () => "must be a time such as 22:00" })
)

export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
export const Weekday = Schema.Literal(...weekdays)
export type Weekday = typeof Weekday.Type

// the document takes a nested field without a default from its schema
const modeText = "`only`: messages are sent within these hours; `except`: outside of them."
const startText = "The local time at which they begin."
const endText = "The local time at which they end; before `start`: on the next day."
const zoneText = "A time zone of the IANA database."
const daysText = "The days on which they begin; without it every day."

/** When messages are sent, by the wall clock of a time zone. A message that is due at another time waits. */
export const SendHours = Schema.Struct({
  mode: describeField(
    Schema.Literal("only", "except").annotations({ description: modeText, examples: ["except"] }),
    modeText,
    "except"
  ),
  start: describeField(clock.annotations({ description: startText, examples: ["22:00"] }), startText, "22:00"),
  end: describeField(clock.annotations({ description: endText, examples: ["07:00"] }), endText, "07:00"),
  timezone: describeField(
    text(64, 1).annotations({ description: zoneText, examples: ["Europe/Berlin"] }).pipe(
      Schema.filter((name) => findZone(name) !== null || "must be a time zone of the IANA database")
    ),
    zoneText,
    "Europe/Berlin"
  ),
  days: describeField(
    Schema.optional(
      Schema.Array(Weekday).pipe(Schema.minItems(1), Schema.maxItems(7)).annotations({
        description: daysText,
        examples: [["mon", "tue", "wed", "thu", "fri"]]
      })
    ),
    daysText,
    ["mon", "tue", "wed", "thu", "fri"]
  ),
  always_critical: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => true }),
    "Whether messages of critical triggers are sent at any time.",
    true
  )
}).annotations({
  ...describeBody("SendHours", "When messages are sent; one that is due at another time waits."),
  ...strict
})
export type SendHours = typeof SendHours.Type

export const maxChannels = 64

export const channelIds = Schema.Array(IdInput).pipe(
  Schema.maxItems(maxChannels, { message: () => `must be at most ${maxChannels} channels` })
)

const afterMinutes = "Minutes after the first message without an acknowledgement."

const escalationFields = {
  after_minutes: describeField(
    // the document takes a nested field without a default from its schema
    seconds(1, 10_080).annotations({ description: afterMinutes, examples: [15] }),
    afterMinutes,
    15
  ),
  project_channel_ids: describeField(
    Schema.optionalWith(channelIds, { default: () => [] }),
    "Channels of the project that are notified then.",
    [exampleId]
  )
}

/** The channels that a project's default notifies when an alert is not acknowledged in time. */
export const ProjectEscalation = Schema.Struct(escalationFields).annotations({
  ...describeBody("ProjectEscalation", "Further channels for an alert that is not acknowledged."),
  ...strict
})

/** The channels that a personal subscription notifies. */
export const Escalation = Schema.Struct({
  ...escalationFields,
  user_channel_ids: describeField(
    Schema.optionalWith(channelIds, { default: () => [] }),
    "Channels of the user that are notified then.",
    [exampleId]
  )
}).annotations({
  ...describeBody("Escalation", "Further channels for an alert that is not acknowledged."),
  ...strict
})

/** The column `hygiene` of `subscriptions`. The channels of the escalation are rows of `subscription_channels`. */
export const Hygiene = Schema.Struct({
  notify_recovery: Schema.optionalWith(Schema.Boolean, { default: () => true }),
  send_hours: Schema.optionalWith(Schema.NullOr(Schema.typeSchema(SendHours)), { default: () => null }),
  escalate_after_minutes: Schema.optionalWith(Schema.NullOr(Schema.Int), { default: () => null })
})
