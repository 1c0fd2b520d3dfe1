import { Schema } from "effect"
import { describeBody, describeField } from "../kernel/Describe.ts"

/** Bodies of the health endpoints (interface, Health and metrics; bodies: DeepHealthResponse). */
export const Alive = Schema.Struct({
  status: describeField(Schema.Literal("ok"), "Always `ok`.", "ok")
}).annotations(describeBody("Alive", "The process runs."))

export const SystemInfo = Schema.Struct({
  version: describeField(Schema.String, "The program's version.", "0.1.0"),
  runtime: describeField(
    Schema.Struct({
      name: describeField(Schema.String, "Its name.", "node"),
      version: describeField(Schema.String, "Its version.", "20.20.2")
    }),
    "What runs it.",
    { name: "node", version: "20.20.2" }
  ),
  os: describeField(
    Schema.Struct({
      platform: describeField(Schema.String, "Its kind.", "linux"),
      release: describeField(Schema.String, "Its release.", "6.1.0"),
      arch: describeField(Schema.String, "The processor's architecture.", "x64")
    }),
    "The operating system.",
    { platform: "linux", release: "6.1.0", arch: "x64" }
  ),
  database: describeField(
    Schema.Struct({
      dialect: describeField(Schema.Literal("sqlite", "pg"), "SQLite or PostgreSQL.", "pg"),
      version: describeField(Schema.String, "Its version.", "15.8"),
      size_bytes: describeField(Schema.Number, "Its size in bytes.", 8_192_000),
      revision: describeField(Schema.Number, "The schema's revision.", 41)
    }),
    "The database.",
    { dialect: "pg", version: "15.8", size_bytes: 8_192_000, revision: 41 }
  ),
  packages: describeField(
    Schema.Record({ key: Schema.String, value: Schema.String }),
    "Versions of the packages that it runs on.",
    { effect: "3.22.4" }
  )
}).annotations(describeBody("SystemInfo", "Versions, for a bug report."))
export type SystemInfo = typeof SystemInfo.Type

const Status = Schema.Literal("ok", "degraded", "failed")

export const DeepCheck = Schema.Struct({
  status: describeField(Status, "`ok`, `degraded` or `failed`.", "ok"),
  detail: describeField(Schema.NullOr(Schema.String), "More, in words; null: nothing to say.", "The database answers."),
  latency_ms: describeField(Schema.NullOr(Schema.Number), "How long it took, in milliseconds.", 0.8),
  revision: describeField(Schema.NullOr(Schema.String), "The schema's revision in the database.", "41"),
  expected: describeField(Schema.NullOr(Schema.String), "The revision that the program expects.", "41"),
  activated: describeField(Schema.NullOr(Schema.Boolean), "Whether the part is switched on.", true),
  scope: describeField(Schema.NullOr(Schema.String), "`process` or `brain`: what it speaks for.", "process")
}).annotations(describeBody("DeepCheck", "What one check found; members that do not apply are null."))
export type DeepCheck = typeof DeepCheck.Type

export const DeepHealth = Schema.Struct({
  status: describeField(Status, "The worst of all checks.", "ok"),
  coverage: describeField(
    Schema.Struct({
      startup_equivalent: describeField(Schema.Boolean, "Whether everything is checked that the start checks.", false),
      detail: describeField(
        Schema.String,
        "What the checks cover, and what only the start checks.",
        "The audit log is verified in slices."
      )
    }),
    "Whether the checks are those of the start.",
    { startup_equivalent: false, detail: "The audit log is verified in slices." }
  ),
  checks: describeField(Schema.Record({ key: Schema.String, value: DeepCheck }), "The checks by name.")
}).annotations(describeBody("DeepHealth", "What every check found."))
export type DeepHealth = typeof DeepHealth.Type
