import { Schema } from "effect"

/** Bodies of the health endpoints (interface, Health and metrics; bodies: DeepHealthResponse). */
export const Alive = Schema.Struct({ status: Schema.Literal("ok") }).annotations({ identifier: "Alive" })

export const Readiness = Schema.Union(
  Schema.Struct({ status: Schema.Literal("ready") }),
  Schema.Struct({ status: Schema.Literal("unready"), reason: Schema.Literal("starting", "database") })
).annotations({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type

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
