import { Schema } from "effect"
import { describeBody, describeField } from "./Describe.ts"

/** A setting as `svc config show` prints it (bodies: SettingItem). */
export const SettingItem = Schema.Struct({
  name: describeField(Schema.String, "Name of its environment variable.", "SVC_PORT"),
  value: describeField(
    Schema.String,
    "The value in force, as it would be written in the environment. Of a secret `********`; empty: not set.",
    "7700"
  ),
  source: describeField(
    Schema.Literal("environment", "file", "tunables", "default", "option"),
    "Where the value comes from: the environment, the file that `NAME_FILE` names, `svc.conf` in `SVC_HOME`, the default, or an option of the command line.",
    "default"
  ),
  is_secret: describeField(Schema.Boolean, "Whether its value is never shown.", false),
  description: describeField(Schema.String, "What it is for.", "Port to listen on.")
}).annotations(describeBody("SettingItem", "A setting and its value."))
export type SettingItem = typeof SettingItem.Type
