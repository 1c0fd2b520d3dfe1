import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { ChannelId, IdInput, ProjectId } from "../kernel/Id.ts"
import { patchField } from "../kernel/Patch.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** Of a config as JSON (interface, Limits). */
export const maxConfigBytes = 16_384

const exampleConfig = { url: "https://hooks.example.com/svc", hmac_secret: "********" }

const ConfigInput = Schema.Record({ key: Schema.String, value: Schema.Unknown }).pipe(
  Schema.filter((config) =>
    Buffer.byteLength(JSON.stringify(config), "utf8") <= maxConfigBytes ||
    `must be at most ${maxConfigBytes} bytes of JSON`
  )
)

const name = text(200, 1).pipe(Schema.filter((value) => value.trim() !== "" || "must not be blank"))

/** How messages are sent; each has a file in `services/alerting/Channels/Types`. */
export const channelTypes = ["webhook", "email", "slack", "telegram", "pagerduty", "discord", "teams"] as const

const quotedTypes = channelTypes.map((name) => `\`${name}\``)

const type = describeField(
  Schema.String.pipe(Schema.maxLength(40)),
  `${quotedTypes.slice(0, -1).join(", ")} or ${quotedTypes.at(-1)}.`,
  "webhook"
)

const configField = describeField(
  Schema.optionalWith(ConfigInput, { default: () => ({}) }),
  "Its fields by type: docs/notifications.md. At most 16 KiB of JSON.",
  { url: "https://hooks.example.com/svc" }
)

const publicFields = {
  name: describeField(Schema.String, "Its name.", "On-call"),
  type,
  config: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "Its fields, with secrets masked.",
    exampleConfig
  )
}

const stateFields = {
  is_active: describeField(Schema.Boolean, "Whether messages are sent through it.", true),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  updated_at: describeField(Timestamp, "When it last changed.", exampleTime),
  disabled_reason: describeField(
    Schema.optional(Schema.String),
    "Why the brain disabled it; absent: it did not.",
    "it answered 410"
  ),
  warning: describeField(
    Schema.optional(Schema.String),
    "What its owner should know of the config; absent: nothing.",
    "Microsoft retired the connectors of this host."
  )
}

/** A channel of a project (bodies: ChannelPublic). */
export const Channel = Schema.Struct({
  id: describeField(ChannelId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "Its project.", exampleId),
  ...publicFields,
  ...stateFields
}).annotations(describeBody("Channel", "Where messages of a project are sent."))
export type Channel = typeof Channel.Type

/** A channel of a user (bodies: UserChannelPublic). */
export const UserChannel = Schema.Struct({
  id: describeField(ChannelId, "Its id.", exampleId),
  ...publicFields,
  is_verified: describeField(Schema.Boolean, "Whether a test of it succeeded since its config last changed.", true),
  ...stateFields
}).annotations(describeBody("UserChannel", "Where messages for one user are sent."))
export type UserChannel = typeof UserChannel.Type

/** Bodies: ChannelCreate, UserChannelCreate. */
export const ChannelCreate = Schema.Struct({
  name: describeField(name, "Its name.", "On-call"),
  type,
  config: configField,
  is_active: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => true }),
    "Whether messages are sent through it.",
    true
  )
}).annotations(describeBody("ChannelCreate", "A channel to create."))
export type ChannelCreate = typeof ChannelCreate.Type

const typeStays =
  "a channel keeps its type: create another channel of the new type, move the subscriptions to it, and " +
  "delete this one"

/** Bodies: ChannelUpdate, UserChannelUpdate. */
export const ChannelUpdate = Schema.Struct({
  name: describeField(patchField(name), "Its new name.", "On-call"),
  config: describeField(
    patchField(ConfigInput),
    "Fields to change: an absent one keeps its value, null removes an optional one, and an empty or masked secret keeps " +
      "the stored one.",
    { hmac_secret: "" }
  ),
  is_active: describeField(
    patchField(Schema.Boolean),
    "Whether messages are sent through it. True also clears why it was disabled.",
    true
  )
}).annotations({
  description: "Its type stays.",
  parseOptions: { onExcessProperty: "preserve" } // so that the filter finds a type
}).pipe(
  Schema.filter((changes) => !("type" in changes) || { path: ["type"], message: typeStays })
).annotations(describeBody("ChannelUpdate", "What to change of a channel. Its type stays."))
export type ChannelUpdate = typeof ChannelUpdate.Type

/** Bodies: ChannelTestRequest. */
export const ChannelTestRequest = Schema.Struct({ type, config: configField }).annotations(
  describeBody("ChannelTestRequest", "A config to try without saving it.")
)
export type ChannelTestRequest = typeof ChannelTestRequest.Type

/** Bodies: ChannelTestResult. */
export const ChannelTestResult = Schema.Struct({
  success: describeField(Schema.Boolean, "Whether the receiver accepted the message.", false),
  status_code: describeField(Schema.NullOr(Schema.Int), "The HTTP status of its response; null: there was none.", 401),
  error: describeField(Schema.NullOr(Schema.String), "Why it was not accepted; null: it was.", "it answered 401"),
  response_body: describeField(
    Schema.NullOr(Schema.String),
    "The response body, up to 8 KiB and without secrets.",
    "unauthorized"
  )
}).annotations(describeBody("ChannelTestResult", "What came of a test message."))
export type ChannelTestResult = typeof ChannelTestResult.Type

const importedName = describeField(
  patchField(name),
  "Name of the copy; absent or null: `Copy of` and the name of the original.",
  "On-call"
)

/** Bodies: ChannelImportFromUserRequest. */
export const ImportFromUser = Schema.Struct({
  user_channel_id: describeField(IdInput, "A personal channel of the caller.", exampleId),
  name: importedName
}).annotations(describeBody("ChannelImportFromUserRequest", "A personal channel to copy into the project."))
export type ImportFromUser = typeof ImportFromUser.Type

/** Bodies: UserChannelImportFromProjectRequest. */
export const ImportFromProject = Schema.Struct({
  project_slug: describeField(text(63, 1), "The project of the channel.", "shop"),
  channel_id: describeField(IdInput, "A channel of that project.", exampleId),
  name: importedName
}).annotations(describeBody("UserChannelImportFromProjectRequest", "A project's channel to copy."))
export type ImportFromProject = typeof ImportFromProject.Type
