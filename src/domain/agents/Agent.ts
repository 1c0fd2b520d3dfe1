import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId, ProjectId } from "../kernel/Id.ts"
import { nullish, text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { Namespace } from "./Namespace.ts"

/** The version of the agents' protocol that this brain speaks. */
export const protocolVersion = "2"

/** A flaw in an agent's set-up; `detail` says how to fix it. */
export const SetupAdvice = Schema.Struct({
  code: describeField(
    Schema.Literal("events_off", "foreign_workers", "engine_failed", "broker_absent", "ids_apart"),
    "`events_off`: a Celery worker without -E; `foreign_workers`: no local hostname; `engine_failed`: an engine did not start; `broker_absent`: no broker responds; `ids_apart`: another broker may give the same ids.",
    "events_off"
  ),
  detail: describeField(Schema.String, "What to do.", "Start the worker with -E.")
})
export type SetupAdvice = typeof SetupAdvice.Type

/**
 * An agent has one token and one signing secret; any number of processes use them (bodies: AgentPublic).
 *
 * - `state`: `online` or `offline`; `failed`: connected, but an engine of it did not start
 * - `is_outdated`: it last connected with another version of the protocol; `version_status` says the same in words
 *   (`current`, `outdated`), null before its first connect
 * - `last_refused_*`: why the brain last refused a connect or a frame of it, or left out a part of one, and when
 * - `setup_advice`: the flaws in how the agent was set up, as far as its events show it: `events_off` (a Celery
 *   worker without -E), `foreign_workers` (no local hostname), `engine_failed` (an engine did not start, and why),
 *   `broker_absent` (the engine's broker does not respond), `ids_apart` (another agent's broker may give the same ids, so
 *   the brain keeps the tasks apart)
 */
export const Agent = Schema.Struct({
  id: describeField(AgentId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  name: describeField(Schema.String, "The name that people see.", "shop workers"),
  state: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: ["online", "offline", "failed"] } }),
    "Whether a process of it is connected; `failed`: one is, and an engine of it did not start.",
    "online"
  ),
  protocol_version: describeField(Schema.String, "The protocol's version of its last hello.", "2"),
  framework_adapter: describeField(Schema.String, "The framework that it runs in.", "bare"),
  engine_adapters: describeField(Schema.Array(Schema.String), "The engines that it serves.", ["celery"]),
  scheduler_adapters: describeField(Schema.Array(Schema.String), "The schedulers that it serves.", []),
  capabilities: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "What each adapter can do.",
    { celery: ["retry_task"] }
  ),
  last_seen_at: describeField(Schema.NullOr(Timestamp), "Time of its last message; null: none yet.", exampleTime),
  last_connect_at: describeField(Schema.NullOr(Timestamp), "When it last connected; null: never.", exampleTime),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  is_outdated: describeField(Schema.Boolean, "Whether it last connected with another version of the protocol.", false),
  host_name: describeField(Schema.NullOr(Schema.String), "The machine's name.", "box-1"),
  agent_version: describeField(Schema.NullOr(Schema.String), "The agent's version.", "1.6.0"),
  version_status: describeField(
    Schema.NullOr(Schema.Literal("current", "outdated")),
    "The same as `is_outdated`, in a word; null before its first connect.",
    "current"
  ),
  last_refused_at: describeField(
    Schema.NullOr(Timestamp),
    "When a connect or a frame was last refused, or a part of one left out (reason left_out).",
    null
  ),
  last_refused_reason: describeField(Schema.NullOr(Schema.String), "Why, as a word.", null),
  last_refused_detail: describeField(Schema.NullOr(Schema.String), "Why, as a sentence.", null),
  setup_advice: describeField(Schema.Array(SetupAdvice), "The flaws in its set-up.", []),
  namespace: describeField(
    Schema.NullOr(Schema.String),
    "What its tasks' ids begin with, before a slash; empty: nothing, though others may have the same ids; null: not set.",
    "eu"
  ),
  assigned_namespace: describeField(
    Schema.NullOr(Schema.String),
    "The namespace that the brain chose and that counts while none is set; empty: none is needed; null: not chosen yet.",
    ""
  )
}).annotations(describeBody("Agent", "One token and one signing secret, used by any number of processes."))
export type Agent = typeof Agent.Type

export const CreateAgent = Schema.Struct({
  name: describeField(text(200, 1), "The name that people see.", "shop workers"),
  namespace: describeField(
    Schema.optional(Schema.NullOr(Namespace)),
    "Becomes part of its tasks' ids, where another agent's broker may give the same ones; null: the brain decides.",
    "eu"
  )
}).annotations(describeBody("CreateAgent", "A new agent."))
export type CreateAgent = typeof CreateAgent.Type

export const UpdateAgent = Schema.Struct({
  namespace: describeField(
    Schema.NullOr(Namespace),
    "The new namespace; tasks that the brain knows keep their ids. Empty: it shares its ids on purpose.",
    "eu"
  )
}).annotations(describeBody("UpdateAgent", "The changes of an agent."))
export type UpdateAgent = typeof UpdateAgent.Type

/**
 * The response to a creation, the only time that both secrets are shown: the bearer `token` of the handshake and the
 * `hmac_secret` that signs frames (32 bytes as base64url).
 */
export const CreatedAgent = Schema.Struct({
  agent: describeField(Agent, "The agent."),
  token: describeField(Schema.String, "The token of its connects.", "sva_9pQ2…"),
  hmac_secret: describeField(
    Schema.String,
    "The secret that signs its frames: 32 bytes as base64url.",
    "c2VjcmV0LWZvci10aGUtcmVmZXJlbmNlLW9ubHk"
  )
}).annotations(describeBody("CreatedAgent", "An agent with its secrets, in this response only."))
export type CreatedAgent = typeof CreatedAgent.Type

/** A report of lost telemetry by a process of the agent (bodies: AgentHealthSnapshot). */
export const AgentHealthSnapshot = Schema.Struct({
  id: Schema.Int.annotations({ description: "Its number.", examples: [17] }),
  captured_at: Timestamp.annotations({ description: "When it said so.", examples: [exampleTime] }),
  worker_id: describeField(nullish(Schema.String), "The process.", "box-1-4711"),
  telemetry_loss: describeField(
    nullish(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    "What was lost, by kind.",
    { dropped_events: 3 }
  )
}).annotations(describeBody("AgentHealthSnapshot", "What a process said about lost telemetry."))
