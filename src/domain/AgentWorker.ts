import { Schema } from "effect"
import { Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

export const PresenceState = Schema.Literal("online", "offline")
export type PresenceState = typeof PresenceState.Type

/**
 * A process of an agent (bodies: AgentWorkerPublic): one per `worker_id` of a hello. `worker_id` is null for agents
 * that send none, and for long-poll, which does not transmit it.
 */
export const AgentWorker = Schema.Struct({
  id: Id,
  agent_id: Id,
  project_id: Id,
  worker_id: Schema.NullOr(Schema.String),
  role: Schema.NullOr(Schema.String),
  framework: Schema.NullOr(Schema.String),
  pid: Schema.NullOr(Schema.Int),
  started_at: Schema.NullOr(Timestamp),
  state: Schema.String,
  last_seen_at: Schema.NullOr(Timestamp),
  last_connect_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotations({ identifier: "AgentWorker" })
export type AgentWorker = typeof AgentWorker.Type
