import { Schema } from "effect"
import { describeBody, describeField } from "./Describe.ts"

export const Ready = Schema.Struct({
  status: describeField(Schema.Literal("ready"), "Requests are served.", "ready")
}).annotations(describeBody("Ready", "The brain can serve requests."))

export const Unready = Schema.Struct({
  status: describeField(Schema.Literal("unready"), "Requests are not served yet, or not now.", "unready"),
  reason: describeField(
    Schema.Literal("starting", "database", "schema", "audit_log"),
    "`starting`: the program starts; `database`: the database does not respond; `schema`: its schema was changed to one that this program does not work with; `audit_log`: the audit log contradicts what was signed for it.",
    "database"
  )
}).annotations(describeBody("Unready", "The brain cannot serve requests."))

export type Readiness = typeof Ready.Type | typeof Unready.Type
