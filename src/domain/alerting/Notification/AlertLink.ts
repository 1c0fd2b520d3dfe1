import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../../kernel/Describe.ts"
import { text } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { AlertStatus } from "./Alert.ts"

const token = describeField(text(200, 1), "The token of the link.", "Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ")

export const PreviewAlertLink = Schema.Struct({ token }).annotations(
  describeBody("PreviewAlertLink", "A link of a message.")
)

export const UseAlertLink = Schema.Struct({
  token,
  snooze_minutes: describeField(
    Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 10_080)), { default: () => 60 }),
    "For a link that snoozes: for how long.",
    60
  )
}).annotations(describeBody("UseAlertLink", "What the holder of a link does."))

export const AlertLinkPreview = Schema.Struct({
  purpose: describeField(Schema.Literal("acknowledge", "snooze"), "What the link does.", "acknowledge"),
  title: describeField(Schema.String, "What is wrong.", "shop.charge fails: CardDeclined"),
  status: describeField(AlertStatus, "The alert's status.", "open"),
  acknowledged_at: describeField(Schema.NullOr(Timestamp), "When a person acknowledged it.", exampleTime),
  snoozed_until: describeField(Schema.NullOr(Timestamp), "No message is sent before.", exampleTime)
}).annotations(describeBody("AlertLinkPreview", "The alert of a link."))
