import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId, Id, ProjectId } from "../kernel/Id.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

export const PresenceState = Schema.Literal("online", "offline")

/**
 * A process of an agent (bodies: AgentWorkerPublic): one per `worker_id` of a hello. `worker_id` is null for agents
 * that send none, and for long-poll, which does not transmit it.
 */
export const AgentProcess = Schema.Struct({
  id: describeField(Id, "Its id.", exampleId),
  agent_id: describeField(AgentId, "The agent's id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  worker_id: describeField(Schema.NullOr(Schema.String), "Its own id; null where it sends none.", "box-1-4711"),
  role: describeField(Schema.NullOr(Schema.String), "What it is for.", "worker"),
  framework: describeField(Schema.NullOr(Schema.String), "The framework that it runs in.", "celery"),
  pid: describeField(Schema.NullOr(Schema.Int), "The process id.", 4711),
  started_at: describeField(Schema.NullOr(Timestamp), "When it started.", exampleTime),
  state: describeField(Schema.String, "`online` or `offline`.", "online"),
  last_seen_at: describeField(Schema.NullOr(Timestamp), "Time of its last message; null: none yet.", exampleTime),
  last_connect_at: describeField(Schema.NullOr(Timestamp), "When it last connected; null: never.", exampleTime),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  updated_at: describeField(Timestamp, "When it last changed.", exampleTime)
}).annotations(describeBody("AgentWorker", "A process of an agent."))
export type AgentProcess = typeof AgentProcess.Type
