/** The schedules of one scheduler as one agent publishes them, and which session may publish them. Pure. */
import { Schema } from "effect"
import { AgentId, CommandId, Id, ProjectId, ScheduleStreamId } from "../../kernel/Id.ts"
import { addSeconds, Timestamp } from "../../kernel/Timestamp.ts"
import { type Epoch, sourceScopeOf } from "./External.ts"

/**
 * - `activating`: the agent was asked to publish, and its first snapshot has not arrived
 * - `live`: snapshots of the bound session arrive
 * - `failed`: the agent refused; it is asked again later
 * - `ended`: the bound session ended
 * - `not_allowed`: the project does not allow the scheduler
 */
export const StreamStatus = Schema.Literal("activating", "live", "failed", "ended", "not_allowed")
export type StreamStatus = typeof StreamStatus.Type

/** A stream is bound to one session, in one epoch at a time. */
export const ScheduleStream = Schema.Struct({
  stream_id: ScheduleStreamId,
  project_id: ProjectId,
  agent_id: AgentId,
  scheduler: Schema.String,
  /** The session that publishes, and its process. */
  worker_id: Schema.String,
  session_id: Schema.String,
  epoch_uuid: Id,
  /** Grows with each activation, whichever replica activates. */
  epoch_number: Schema.Int,
  adapter_instance_id: Schema.String,
  /** Of the newest accepted publication of the epoch; 0: none yet. */
  accepted_sequence: Schema.Int,
  snapshot_digest: Schema.NullOr(Schema.String),
  schedule_count: Schema.Int,
  status: StreamStatus,
  /** The activation. */
  command_id: Schema.NullOr(CommandId),
  /** What the scheduler can do, as its process says. */
  capabilities: Schema.Array(Schema.String),
  activated_at: Timestamp,
  snapshot_at: Schema.NullOr(Timestamp),
  ended_at: Schema.NullOr(Timestamp),
  /** When the agent read its newest snapshot, by its own clock. */
  observed_at: Schema.NullOr(Timestamp),
  /** Whether the schedules of the ended stream have their next run in `due_at`. */
  is_awaited: Schema.Boolean,
  /** Why the newest activation or publication was refused; null after an accepted one. */
  error: Schema.NullOr(Schema.String),
  error_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
})
export type ScheduleStream = typeof ScheduleStream.Type

export const epochOf = (stream: ScheduleStream): Epoch => ({
  stream_id: stream.stream_id,
  epoch_uuid: stream.epoch_uuid,
  epoch_number: stream.epoch_number,
  owner: stream.scheduler,
  source_scope: sourceScopeOf(stream.scheduler),
  adapter_instance_id: stream.adapter_instance_id
})

export const isOpen = ({ status }: ScheduleStream): boolean => status === "activating" || status === "live"

/** Seconds after which an agent that refused to publish is asked again. */
const retrySeconds = 300

/** A session that publishes the schedules of a scheduler. */
export type Publisher = Pick<
  ScheduleStream,
  "project_id" | "agent_id" | "scheduler" | "worker_id" | "session_id" | "capabilities"
>

/** Whether the stream needs another epoch with this publisher's session. */
const isVacant = (stream: ScheduleStream, { session_id, worker_id }: Publisher, now: Timestamp): boolean => {
  switch (stream.status) {
    case "ended":
    case "not_allowed":
      return true
    case "failed":
      return stream.session_id !== session_id || addSeconds(stream.activated_at, retrySeconds) <= now
    case "activating":
    case "live":
      // the same process by another connection: the one before is gone, and with it its epoch
      return stream.worker_id === worker_id && stream.session_id !== session_id
  }
}

/**
 * - `activate`: an epoch of the publisher's session begins
 * - `resume`: the open epoch is the session's
 * - `keep`: the stream is another session's, or stays closed
 * - `forbid`: the project does not allow the scheduler; `end`: and the stream is open
 */
type Binding =
  | { readonly kind: "activate" | "keep" | "forbid" }
  | { readonly kind: "resume" | "end"; readonly stream: ScheduleStream }

/** What becomes of the stream of a scheduler that this session publishes; undefined: there is none. */
export const decideBinding = (
  stream: ScheduleStream | undefined,
  publisher: Publisher,
  isAllowed: boolean,
  now: Timestamp
): Binding => {
  if (stream === undefined) return { kind: isAllowed ? "activate" : "forbid" }
  if (!isAllowed) return isOpen(stream) ? { kind: "end", stream } : { kind: "keep" }
  if (isVacant(stream, publisher, now)) return { kind: "activate" }
  return isOpen(stream) && stream.session_id === publisher.session_id ? { kind: "resume", stream } : { kind: "keep" }
}

/** Why an agent is not asked for the schedules of this scheduler. */
export const notAllowed = (scheduler: string): string =>
  `The project's allowed_schedulers do not include ${scheduler}, so its schedules are not read.`

interface NewIds extends Pick<ScheduleStream, "epoch_uuid" | "adapter_instance_id"> {
  /** Of a scheduler without a stream. */
  readonly stream_id: ScheduleStreamId
  /** The activation; null: the project does not allow the scheduler. */
  readonly command_id: CommandId | null
}

/** The stream in its next epoch, which is the publisher's. */
export const beginEpoch = (
  before: ScheduleStream | undefined,
  publisher: Publisher,
  { stream_id, ...ids }: NewIds,
  now: Timestamp
): ScheduleStream => {
  const isAllowed = ids.command_id !== null
  return {
    ...publisher,
    ...ids,
    stream_id: before?.stream_id ?? stream_id,
    epoch_number: (before?.epoch_number ?? 0) + 1,
    accepted_sequence: 0,
    snapshot_digest: null,
    schedule_count: before?.schedule_count ?? 0,
    status: isAllowed ? "activating" : "not_allowed",
    activated_at: now,
    snapshot_at: before?.snapshot_at ?? null,
    ended_at: isAllowed ? null : now,
    observed_at: before?.observed_at ?? null,
    is_awaited: false,
    error: isAllowed ? null : notAllowed(publisher.scheduler),
    error_at: isAllowed ? null : now,
    created_at: before?.created_at ?? now
  }
}
