/**
 * The payloads of the frames (agents' protocol, sections 2.2 to 2.7): decoded from snake_case wire names, with the
 * limits and defaults given there. Unknown fields are ignored, and null means absent. Text that no database could hold
 * (NUL) is refused in names and replaced in messages.
 */
import * as Schema from "effect/Schema"
import { JsonObject } from "../domain/kernel/CanonicalJson.ts"
import { nullish, text, toStorable } from "../domain/kernel/Text.ts"
import { Timestamp } from "../domain/kernel/Timestamp.ts"

/** The version of the wire in `hello` and `hello_ack`; frames carry it as the integer `v`. */
export const PROTOCOL_VERSION = "2"

/** Largest message that the other end reads (agents' protocol, section 1.1). */
export const MAX_FRAME_BYTES = 1_048_576

export const MAX_EVENTS = 5000

/**
 * Most keys of one object, and most values at any depth of one event and of all events of a frame. Larger data takes
 * the brain long for its length (115 000 keys fit into a frame), and people do not read it in a task.
 */
export const MAX_KEYS = 1000
export const MAX_EVENT_NODES = 20_000
export const MAX_FRAME_NODES = 100_000

/** An object whose numbers must keep all digits: a parsed node. */
const Lossless = Schema.instanceOf(JsonObject)

const names = (most: number) => Schema.Array(text(128)).pipe(Schema.maxItems(most))
const between = (least: number, most: number) => Schema.Int.pipe(Schema.between(least, most))
const Count = between(0, Number.MAX_SAFE_INTEGER)
const Streak = between(0, 1_000_000)

const withDefault = <A, I, R>(schema: Schema.Schema<A, I, R>, value: NoInfer<A>) =>
  Schema.optionalWith(schema, { default: () => value, nullable: true })

/**
 * A message for people. It is truncated at its limit instead of refused: a refusal would lose the message and help no one.
 */
const message = (most: number) =>
  Schema.transform(Schema.String, Schema.String, {
    strict: true,
    decode: (value) => toStorable(value, most),
    encode: (value) => value
  })

export const Hello = Schema.Struct({
  protocolVersion: Schema.propertySignature(text(40)).pipe(Schema.fromKey("protocol_version")),
  agentVersion: withDefault(text(40), "").pipe(Schema.fromKey("agent_version")),
  framework: withDefault(text(40), ""),
  engines: withDefault(names(64), []),
  schedulers: withDefault(names(64), []),
  capabilities: withDefault(Schema.Record({ key: text(128), value: Schema.Array(text(128)) }), {}),
  host: withDefault(
    Schema.Struct({
      name: nullish(text(64)),
      /** Of our agents: what names the broker of each engine. */
      sources: withDefault(Schema.Record({ key: text(128), value: text(128) }), {})
    }),
    { name: null, sources: {} }
  ),
  workerId: nullish(text(128)).pipe(Schema.fromKey("worker_id")),
  workerRole: nullish(text(32)).pipe(Schema.fromKey("worker_role")),
  workerPid: nullish(Schema.Int).pipe(Schema.fromKey("worker_pid")),
  workerStartedAt: nullish(Timestamp).pipe(Schema.fromKey("worker_started_at")),
  runtimeFeatures: withDefault(names(64), []).pipe(Schema.fromKey("runtime_features"))
})

export const HelloAck = Schema.Struct({
  protocolVersion: Schema.propertySignature(text(40)).pipe(Schema.fromKey("protocol_version")),
  brainVersion: Schema.propertySignature(text(40)).pipe(Schema.fromKey("brain_version")),
  agentId: Schema.propertySignature(text(64)).pipe(Schema.fromKey("agent_id")),
  projectId: Schema.propertySignature(text(64)).pipe(Schema.fromKey("project_id")),
  sessionId: Schema.propertySignature(text(64)).pipe(Schema.fromKey("session_id")),
  heartbeatIntervalSeconds: withDefault(between(1, 3600), 10).pipe(Schema.fromKey("heartbeat_interval_seconds")),
  maxFrameSizeBytes: withDefault(between(1024, 67_108_864), MAX_FRAME_BYTES).pipe(
    Schema.fromKey("max_frame_size_bytes")
  ),
  /** To our agents only: what of the hello's `runtime_features` the brain does. */
  features: withDefault(names(64), [])
})

/**
 * A feature of our agents: the brain acknowledges a `command_result` after its commit, by an `event_batch_ack` with the
 * command's id. The protocol has no acknowledgement of results.
 */
export const RESULT_ACK = "command_result_ack_v1"

/** A feature of our agents: the brain stores events of the kinds `task.log` and `task.progress` (docs/task-logs.md). */
export const TASK_OUTPUT = "task_output_v1"

/** What the brain does of the features in a hello. */
export const BRAIN_FEATURES: ReadonlyArray<string> = [RESULT_ACK, TASK_OUTPUT]

export const EventBatchAck = Schema.Struct({
  ackedId: Schema.propertySignature(text(64)).pipe(Schema.fromKey("acked_id")),
  received: Count,
  accepted: Count,
  rejected: Count
})

/**
 * Counters since the creation of the buffer file, or the start of the process; `eventRecords` overlaps the frame
 * counters.
 */
export const TelemetryLoss = Schema.Struct({
  bufferId: withDefault(text(64), "").pipe(Schema.fromKey("buffer_id")),
  runtimeId: withDefault(text(64), "").pipe(Schema.fromKey("runtime_id")),
  capacityEvictedFrames: withDefault(Count, 0).pipe(Schema.fromKey("capacity_evicted_frames")),
  contentRejectedFrames: withDefault(Count, 0).pipe(Schema.fromKey("content_rejected_frames")),
  eventRecords: withDefault(Count, 0).pipe(Schema.fromKey("event_records")),
  commandResults: withDefault(Count, 0).pipe(Schema.fromKey("command_results")),
  otherFrames: withDefault(Count, 0).pipe(Schema.fromKey("other_frames")),
  unclassifiedFrames: withDefault(Count, 0).pipe(Schema.fromKey("unclassified_frames")),
  adapterEvents: withDefault(
    Schema.Record({ key: text(40), value: Count }).pipe(Schema.filter((engines) => Object.keys(engines).length <= 32)),
    {}
  ).pipe(Schema.fromKey("adapter_events"))
})

export const Heartbeat = Schema.Struct({
  bufferSize: withDefault(Count, 0).pipe(Schema.fromKey("buffer_size")),
  lastFlushAt: nullish(Timestamp).pipe(Schema.fromKey("last_flush_at")),
  droppedEvents: withDefault(between(0, 10_000_000), 0).pipe(Schema.fromKey("dropped_events")),
  telemetryLoss: nullish(TelemetryLoss).pipe(Schema.fromKey("telemetry_loss")),
  /** `<engine>.<name>` to a Python `str()` or to JSON text (agents' protocol, section 2.5). */
  adapterHealth: withDefault(Schema.Record({ key: Schema.String, value: Schema.String }), {}).pipe(
    Schema.fromKey("adapter_health")
  )
})

export const AgentStatus = Schema.Struct({
  telemetryLoss: nullish(TelemetryLoss).pipe(Schema.fromKey("telemetry_loss")),
  authFailureStreak: withDefault(Streak, 0).pipe(Schema.fromKey("auth_failure_streak")),
  protocolFailureStreak: withDefault(Streak, 0).pipe(Schema.fromKey("protocol_failure_streak")),
  connectionFailureStreak: withDefault(Streak, 0).pipe(Schema.fromKey("connection_failure_streak")),
  lastSuccessfulConnectAt: nullish(Timestamp).pipe(Schema.fromKey("last_successful_connect_at")),
  currentSessionAgeSeconds: nullish(Schema.Number).pipe(Schema.fromKey("current_session_age_seconds")),
  bufferDepth: withDefault(Count, 0).pipe(Schema.fromKey("buffer_depth")),
  bufferOldestAgeSeconds: nullish(Schema.Number).pipe(Schema.fromKey("buffer_oldest_age_seconds")),
  agentVersion: withDefault(text(40), "").pipe(Schema.fromKey("agent_version")),
  protocolVersion: withDefault(text(10), "").pipe(Schema.fromKey("protocol_version")),
  engines: withDefault(names(32), []),
  schedulers: withDefault(names(32), [])
})

const ClaimToken = nullish(text(64)).pipe(Schema.fromKey("delivery_claim_token"))

/** The frame's id is the command's id. */
export const Command = Schema.Struct({
  action: text(80),
  target: Lossless,
  parameters: Lossless,
  timeoutSeconds: withDefault(between(1, 3600), 60).pipe(Schema.fromKey("timeout_seconds")),
  issuedBy: nullish(text(64)).pipe(Schema.fromKey("issued_by")),
  deliveryClaimToken: ClaimToken
})

export const CommandAck = Schema.Struct({ deliveryClaimToken: ClaimToken })

export const CommandResult = Schema.Struct({
  status: Schema.Literal("success", "failed"),
  result: nullish(Lossless),
  error: nullish(message(8192)),
  deliveryClaimToken: ClaimToken
})

export const ErrorReport = Schema.Struct({
  code: text(80),
  message: withDefault(message(8192), ""),
  fatal: withDefault(Schema.Boolean, false)
})

const entries = Schema.Array(Lossless).pipe(Schema.maxItems(10_000))

/** Added, removed and changed tasks of an engine. No published agent sends it. */
export const RegistryDelta = Schema.Struct({
  engine: text(40),
  added: withDefault(entries, []),
  removed: withDefault(Schema.Array(text(500)).pipe(Schema.maxItems(10_000)), []),
  updated: withDefault(entries, [])
})
