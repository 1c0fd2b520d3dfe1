import { Schema } from "effect"
import { describe, exampleId, exampleTime, named } from "./Describe.ts"
import { Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

export const PresenceState = Schema.Literal("online", "offline")
export type PresenceState = typeof PresenceState.Type

/**
 * A process of an agent (bodies: AgentWorkerPublic): one per `worker_id` of a hello. `worker_id` is null for agents
 * that send none, and for long-poll, which does not transmit it.
 */
export const AgentWorker = Schema.Struct({
  id: describe(Id, "Its id.", exampleId),
  agent_id: describe(Id, "The agent's id.", exampleId),
  project_id: describe(Id, "The project's id.", exampleId),
  worker_id: describe(Schema.NullOr(Schema.String), "Its own id; null where it sends none.", "box-1-4711"),
  role: describe(Schema.NullOr(Schema.String), "What it is for.", "worker"),
  framework: describe(Schema.NullOr(Schema.String), "The framework that it runs in.", "celery"),
  pid: describe(Schema.NullOr(Schema.Int), "The process id.", 4711),
  started_at: describe(Schema.NullOr(Timestamp), "When it started.", exampleTime),
  state: describe(Schema.String, "`online` or `offline`.", "online"),
  last_seen_at: describe(Schema.NullOr(Timestamp), "When it was last heard of.", exampleTime),
  last_connect_at: describe(Schema.NullOr(Timestamp), "When it last connected; null: never.", exampleTime),
  created_at: describe(Timestamp, "When it was created.", exampleTime),
  updated_at: describe(Timestamp, "When it last changed.", exampleTime)
}).annotations(named("AgentWorker", "A process of an agent."))
export type AgentWorker = typeof AgentWorker.Type
