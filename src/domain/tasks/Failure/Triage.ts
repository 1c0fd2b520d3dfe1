import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { caseInsensitiveId, UserId } from "../../kernel/Id.ts"
import { patchField } from "../../kernel/Patch.ts"
import { text } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"

/** What people decided about a failure group. Only the brain makes one `regressed`: a resolved one that failed again. */
export const Triage = Schema.Literal("open", "muted", "resolved", "regressed")
export type Triage = typeof Triage.Type

/** What can end a mute in place of a time (docs/failures.md). */
export const MuteCondition = Schema.Literal("escalates", "next_deploy")

export const MuteEnd = Schema.Union(MuteCondition, Timestamp)

export const isMuteCondition = Schema.is(MuteCondition)

export const maxMuteDays = 90
export const maxNoteLength = 2000

export const Assignee = Schema.Struct({
  id: describeField(UserId, "The user's id.", exampleId),
  name: describeField(Schema.NullOr(Schema.String), "The name that others see; null: none is chosen.", "Ada Lovelace")
}).annotations(describeBody("Assignee", "A member of the project, or a global admin, by the name that others see."))
export type Assignee = typeof Assignee.Type

export const triageFields = {
  triage: describeField(
    Triage,
    "`open`; `muted`: no alert and no attention until `muted_until`; `resolved`; `regressed`: it failed after it was " +
      "resolved.",
    "open"
  ),
  triaged_at: describeField(
    Schema.NullOr(Timestamp),
    "Since when `triage` is so; null: it was never triaged.",
    exampleTime
  ),
  triaged_by: describeField(
    Schema.NullOr(Assignee),
    "Who decided it; null: the server, when a mute ended or the group regressed.",
    { id: exampleId, name: "Ada Lovelace" }
  ),
  muted_until: describeField(
    Schema.NullOr(MuteEnd),
    "When the mute ends: a time, `escalates` or `next_deploy`. Null unless `muted`.",
    exampleTime
  ),
  assignee: describeField(Schema.NullOr(Assignee), "Who takes care of it.", { id: exampleId, name: "Ada Lovelace" }),
  note: describeField(Schema.NullOr(Schema.String), "What members wrote about it.", "Waits for the bank's fix.")
}

/** The body of `PATCH /projects/{slug}/issues/{fingerprint}`. */
export const UpdateFailureGroup = Schema.Struct({
  triage: describeField(
    patchField(Schema.Literal("open", "muted", "resolved")),
    "`open` ends a mute, and opens a resolved or regressed group.",
    "muted"
  ),
  muted_until: describeField(
    patchField(MuteEnd),
    `With \`triage: muted\`, and required there: a time at most ${maxMuteDays} days from now, \`escalates\` or \`next_deploy\`.`,
    "escalates"
  ),
  assignee: describeField(
    Schema.optional(
      Schema.NullOr(Schema.Union(Schema.Literal("me"), caseInsensitiveId(UserId))).annotations({
        jsonSchema: { anyOf: [{ type: "string" }, { type: "null" }] }
      })
    ),
    "Who takes care of it: the id of a member or global admin, `me`, or null for nobody.",
    "me"
  ),
  note: describeField(
    patchField(text(maxNoteLength)),
    "Plain text about it; null or empty removes it.",
    "Waits for the bank's fix."
  )
}).annotations(describeBody("UpdateFailureGroup", "What changes in the triage of a failure group."))
export type UpdateFailureGroup = typeof UpdateFailureGroup.Type
