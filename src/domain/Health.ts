import { Schema } from "effect"
import { describe, named } from "./Describe.ts"

/** Bodies of the health endpoints (interface, Health and metrics; bodies: DeepHealthResponse). */
export const Alive = Schema.Struct({ status: Schema.Literal("ok") }).annotations({ identifier: "Alive" })

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
  version: Schema.String,
  runtime: Schema.Struct({ name: Schema.String, version: Schema.String }),
  os: Schema.Struct({ platform: Schema.String, release: Schema.String, arch: Schema.String }),
  database: Schema.Struct({
    dialect: Schema.Literal("sqlite", "pg"),
    version: Schema.String,
    size_bytes: Schema.Number,
    revision: Schema.Number
  }),
  packages: Schema.Record({ key: Schema.String, value: Schema.String })
}).annotations({ identifier: "SystemInfo" })
export type SystemInfo = typeof SystemInfo.Type

const Status = Schema.Literal("ok", "degraded", "failed")

export const DeepCheck = Schema.Struct({
  status: Status,
  detail: Schema.NullOr(Schema.String),
  latency_ms: Schema.NullOr(Schema.Number),
  revision: Schema.NullOr(Schema.String),
  expected: Schema.NullOr(Schema.String),
  activated: Schema.NullOr(Schema.Boolean),
  scope: Schema.NullOr(Schema.String)
}).annotations({ identifier: "DeepCheck" })
export type DeepCheck = typeof DeepCheck.Type

export const DeepHealth = Schema.Struct({
  status: Status,
  coverage: Schema.Struct({ startup_equivalent: Schema.Boolean, detail: Schema.String }),
  checks: Schema.Record({ key: Schema.String, value: DeepCheck })
}).annotations({ identifier: "DeepHealth" })
export type DeepHealth = typeof DeepHealth.Type
