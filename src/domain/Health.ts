import { Schema } from "effect"
import { describe, named } from "./Describe.ts"

/** Bodies of the health endpoints (interface, Health and metrics; bodies: DeepHealthResponse). */
export const Alive = Schema.Struct({
  status: describe(Schema.Literal("ok"), "Always `ok`.", "ok")
}).annotations(named("Alive", "The process runs."))

export const Ready = Schema.Struct({
  status: describe(Schema.Literal("ready"), "Requests are served.", "ready")
}).annotations(named("Ready", "The brain can serve requests."))

export const Unready = Schema.Struct({
  status: describe(Schema.Literal("unready"), "Requests are not served yet, or not now.", "unready"),
  reason: describe(
    Schema.Literal("starting", "database", "audit_log"),
    "`starting`: the program starts; `database`: the database does not answer; `audit_log`: the audit log contradicts what was signed for it.",
    "database"
  )
}).annotations(named("Unready", "The brain cannot serve requests."))

export type Readiness = typeof Ready.Type | typeof Unready.Type

export const SystemInfo = Schema.Struct({
  version: describe(Schema.String, "The program's version.", "0.1.0"),
  runtime: describe(Schema.Struct({
    name: describe(Schema.String, "Its name.", "node"),
    version: describe(Schema.String, "Its version.", "20.20.2")
  }), "What runs it.", { name: "node", version: "20.20.2" }),
  os: describe(Schema.Struct({
    platform: describe(Schema.String, "Its kind.", "linux"),
    release: describe(Schema.String, "Its release.", "6.1.0"),
    arch: describe(Schema.String, "The processor's architecture.", "x64")
  }), "The operating system.", { platform: "linux", release: "6.1.0", arch: "x64" }),
  database: describe(Schema.Struct({
    dialect: describe(Schema.Literal("sqlite", "pg"), "SQLite or PostgreSQL.", "pg"),
    version: describe(Schema.String, "Its version.", "15.8"),
    size_bytes: describe(Schema.Number, "Its size in bytes.", 8_192_000),
    revision: describe(Schema.Number, "The schema's revision.", 41)
  }), "The database.", { dialect: "pg", version: "15.8", size_bytes: 8_192_000, revision: 41 }),
  packages: describe(Schema.Record({ key: Schema.String, value: Schema.String }), "Versions of the packages that it runs on.", { effect: "3.22.4" })
}).annotations(named("SystemInfo", "Versions, for a bug report."))
export type SystemInfo = typeof SystemInfo.Type

const Status = Schema.Literal("ok", "degraded", "failed")

export const DeepCheck = Schema.Struct({
  status: describe(Status, "`ok`, `degraded` or `failed`.", "ok"),
  detail: describe(Schema.NullOr(Schema.String), "More, in words; null: nothing to say.", "The database answers."),
  latency_ms: describe(Schema.NullOr(Schema.Number), "How long it took, in milliseconds.", 0.8),
  revision: describe(Schema.NullOr(Schema.String), "The schema's revision in the database.", "41"),
  expected: describe(Schema.NullOr(Schema.String), "The revision that the program expects.", "41"),
  activated: describe(Schema.NullOr(Schema.Boolean), "Whether the part is switched on.", true),
  scope: describe(Schema.NullOr(Schema.String), "`process` or `brain`: what it speaks for.", "process")
}).annotations(named("DeepCheck", "What one check found; members that do not apply are null."))
export type DeepCheck = typeof DeepCheck.Type

export const DeepHealth = Schema.Struct({
  status: describe(Status, "The worst of all checks.", "ok"),
  coverage: describe(Schema.Struct({
    startup_equivalent: describe(Schema.Boolean, "Whether everything is checked that the start checks.", false),
    detail: describe(Schema.String, "What is not, and why.", "The audit log is verified in slices.")
  }), "Whether the checks are those of the start.", { startup_equivalent: false, detail: "The audit log is verified in slices." }),
  checks: describe(Schema.Record({ key: Schema.String, value: DeepCheck }), "The checks by name.")
}).annotations(named("DeepHealth", "What every check found."))
export type DeepHealth = typeof DeepHealth.Type
