import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { MaintenanceWindowId, UserId } from "../../kernel/Id.ts"
import { patchField } from "../../kernel/Patch.ts"
import { text } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"

const name = text(200, 1).pipe(Schema.filter((value) => value.trim() !== "" || "must not be blank"))

/** A time in which a project's alerts are recorded and no message is sent. */
export const MaintenanceWindow = Schema.Struct({
  id: describeField(MaintenanceWindowId, "Its id.", exampleId),
  name: describeField(Schema.String, "What is done.", "Database upgrade"),
  starts_at: describeField(Timestamp, "When it begins.", exampleTime),
  ends_at: describeField(Timestamp, "When it ends.", exampleTime),
  created_by: describeField(Schema.NullOr(UserId), "Who created it; null: the program.", exampleId),
  created_at: describeField(Timestamp, "When it was created.", exampleTime)
}).annotations(describeBody("MaintenanceWindow", "A time in which no message is sent."))
export type MaintenanceWindow = typeof MaintenanceWindow.Type

export const MaintenanceWindowCreate = Schema.Struct({
  name: describeField(name, "What is done.", "Database upgrade"),
  starts_at: describeField(Timestamp, "When it begins; a time in the past: it has begun.", exampleTime),
  ends_at: describeField(
    Timestamp,
    "When it ends: in the future, after `starts_at`, at most 30 days later.",
    exampleTime
  )
}).annotations(describeBody("MaintenanceWindowCreate", "A new maintenance window."))
export type MaintenanceWindowCreate = typeof MaintenanceWindowCreate.Type

export const MaintenanceWindowUpdate = Schema.Struct({
  name: describeField(patchField(name), "What is done.", "Database upgrade"),
  starts_at: describeField(patchField(Timestamp), "When it begins.", exampleTime),
  ends_at: describeField(patchField(Timestamp), "When it ends; a time in the past ends it now.", exampleTime)
}).annotations(describeBody("MaintenanceWindowUpdate", "Changes of a window; absent fields keep their values."))
export type MaintenanceWindowUpdate = typeof MaintenanceWindowUpdate.Type
