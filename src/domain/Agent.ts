import { Schema } from "effect"
import { Id, maybe, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** The version of the agents' protocol that this brain speaks. */
export const protocolVersion = "2"

/** Something that people should put right; `detail` says how. */
export const SetupAdvice = Schema.Struct({ code: Schema.Literal("events_off", "foreign_workers"), detail: Schema.String })
export type SetupAdvice = typeof SetupAdvice.Type

/**
 * An agent: one token and one signing secret, used by any number of processes (bodies: AgentPublic).
 *
 * - `state`: `online` or `offline`
 * - `is_outdated`: it last connected with another version of the protocol; `version_status` says the same in words
 *   (`current`, `outdated`), null before its first connect
 * - `last_refused_*`: why the brain last refused a connect or a frame of it, and when
 * - `setup_advice`: what is wrong with how the agent was set up, as far as its events show it: `events_off` (a Celery
 *   worker without -E), `foreign_workers` (no local hostname)
 */
export const Agent = Schema.Struct({
  id: Id,
  project_id: Id,
  name: Schema.String,
  state: Schema.String,
  protocol_version: Schema.String,
  framework_adapter: Schema.String,
  engine_adapters: Schema.Array(Schema.String),
  scheduler_adapters: Schema.Array(Schema.String),
  capabilities: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  last_seen_at: Schema.NullOr(Timestamp),
  last_connect_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  is_outdated: Schema.Boolean,
  host_name: Schema.NullOr(Schema.String),
  agent_version: Schema.NullOr(Schema.String),
  version_status: Schema.NullOr(Schema.Literal("current", "outdated")),
  last_refused_at: Schema.NullOr(Timestamp),
  last_refused_reason: Schema.NullOr(Schema.String),
  last_refused_detail: Schema.NullOr(Schema.String),
  setup_advice: Schema.Array(SetupAdvice)
}).annotations({ identifier: "Agent" })
export type Agent = typeof Agent.Type

export const CreateAgent = Schema.Struct({ name: text(200, 1) }).annotations({ identifier: "CreateAgent" })
export type CreateAgent = typeof CreateAgent.Type

/**
 * The answer to a creation, the only time that both secrets are shown: the bearer `token` of the handshake and the
 * `hmac_secret` that signs frames (32 bytes as base64url).
 */
export const CreatedAgent = Schema.Struct({
  agent: Agent,
  token: Schema.String,
  hmac_secret: Schema.String
}).annotations({ identifier: "CreatedAgent" })
export type CreatedAgent = typeof CreatedAgent.Type

/** What a process of the agent said about lost telemetry at one moment (bodies: AgentHealthSnapshot). */
export const AgentHealthSnapshot = Schema.Struct({
  id: Schema.Int,
  captured_at: Timestamp,
  worker_id: maybe(Schema.String),
  telemetry_loss: maybe(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
}).annotations({ identifier: "AgentHealthSnapshot" })
export type AgentHealthSnapshot = typeof AgentHealthSnapshot.Type
