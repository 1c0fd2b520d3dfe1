import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../kernel/Describe.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** What can be wrong with the log (docs/audit.md, Verifying). */
export const AuditLogProblemKind = Schema.Literal(
  "changed",
  "missing",
  "inserted",
  "reordered",
  "cut",
  "key_unknown",
  "head",
  "watermark"
)

const Problem = Schema.Struct({
  kind: describeField(AuditLogProblemKind, "What is wrong (docs/audit.md, Verifying).", "changed"),
  seq: describeField(Schema.Int, "The number of the first row that shows it.", 1042),
  detail: describeField(Schema.String, "The same in a sentence.", "row 1042 was changed"),
  cursor: describeField(
    Schema.NullOr(Schema.String),
    "The `cursor` of the project's audit log at which that row comes first; null: it is not there, or not the project's.",
    null
  )
}).annotations(describeBody("AuditLogProblem", "The first row of the log that is not valid."))

const Last = Schema.Struct({
  finished_at: describeField(Timestamp, "When it ended.", exampleTime),
  outcome: describeField(
    Schema.Literal("intact", "broken", "error"),
    "`error`: it could not read the log, so nothing is known.",
    "intact"
  ),
  rows: describeField(Schema.Int, "Rows that were intact, up to the end or to the problem.", 48_211),
  problem: describeField(Schema.NullOr(Problem), "What is wrong; null: nothing, or not known.", null)
}).annotations(describeBody("LastAuditVerification", "The last verification that ended."))

/** A verification of the whole log, which the projects of a brain share. */
export const AuditVerification = Schema.Struct({
  status: describeField(
    Schema.Literal("idle", "waiting", "running"),
    "Whether one was requested and will begin (`waiting`), or runs.",
    "idle"
  ),
  checked_rows: describeField(Schema.NullOr(Schema.Int), "Of a running one: rows that were verified.", null),
  total_rows: describeField(Schema.NullOr(Schema.Int), "Of a running one: rows of the log, once known.", null),
  last: describeField(
    Schema.NullOr(Last),
    "The last one that ended.",
    {
      finished_at: exampleTime,
      outcome: "intact",
      rows: 48_211,
      problem: null
    } as const
  )
}).annotations(describeBody("AuditVerification", "The verification of all rows of the audit log."))
export type AuditVerification = typeof AuditVerification.Type
