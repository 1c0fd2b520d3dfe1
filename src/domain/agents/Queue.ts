import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { Id, ProjectId } from "../kernel/Id.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { QueuePause } from "./QueuePause.ts"

/** The longest target for the start of a queue's tasks. */
export const maxTargetSeconds = 7 * 86_400

/**
 * A queue of an engine (bodies: QueuePublic). `depth`: messages waiting, as the agent last reported it; `depth_note` says
 * why it is null. `broker_url_hint` never holds credentials. What concerns its tasks comes from their events.
 */
export const queueFields = {
  id: describeField(Id, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  name: describeField(Schema.String, "The queue's name.", "default"),
  engine: describeField(Schema.String, "The engine, in lower case.", "celery"),
  broker_type: describeField(Schema.NullOr(Schema.String), "The broker's kind.", "redis"),
  broker_url_hint: describeField(
    Schema.NullOr(Schema.String),
    "Where the broker is, without credentials.",
    "redis://redis:6379/0"
  ),
  depth: describeField(
    Schema.NullOr(Schema.Int),
    "Messages that wait, as the agent last reported; null where it cannot know.",
    12
  ),
  depth_note: describeField(Schema.NullOr(Schema.String), "Why the depth is null.", null),
  oldest_waiting_at: describeField(
    Schema.NullOr(Timestamp),
    "Since when its oldest task waits, by the events of its tasks; null: none waits.",
    exampleTime
  ),
  received_1h: describeField(Schema.Int, "Tasks that were received in the last hour.", 240),
  ended_1h: describeField(Schema.Int, "Tasks that ended in the last hour, in whatever state.", 238),
  start_target_seconds: describeField(
    Schema.NullOr(Schema.Int),
    "Within how many seconds its tasks should start; null: no target is set.",
    30
  ),
  is_over_target: describeField(
    Schema.Boolean,
    "Whether its oldest task has waited for longer than the target.",
    false
  ),
  pause: describeField(Schema.NullOr(QueuePause), "The pause; null: it is not paused, as far as is known.", null),
  last_seen_at: describeField(
    Schema.NullOr(Timestamp),
    "Time of the last report about the queue; null: none yet.",
    exampleTime
  ),
  created_at: describeField(Timestamp, "When it was created.", exampleTime)
}
export const Queue = Schema.Struct(queueFields).annotations(describeBody("Queue", "A queue of an engine."))
export type Queue = typeof Queue.Type

/** The body of `PUT /projects/{slug}/queues/{engine}/{name}/target`. */
export const QueueTarget = Schema.Struct({
  start_within_seconds: describeField(
    Schema.NullOr(Schema.Int.pipe(Schema.between(1, maxTargetSeconds))),
    "Within how many seconds its tasks should start, at most 7 days; null removes the target.",
    30
  )
}).annotations(describeBody("QueueTarget", "When the tasks of a queue should start."))
export type QueueTarget = typeof QueueTarget.Type

/** Engines whose published agents count no messages (agents' protocol, section 2.5). */
const ENGINES_WITHOUT_DEPTH: ReadonlySet<string> = new Set(["celery", "dramatiq", "huey", "arq", "taskiq"])

/** Why a queue's depth is null, in one sentence. */
export const depthNote = (engine: string, depth: number | null): string | null => {
  if (depth !== null) return null
  return ENGINES_WITHOUT_DEPTH.has(engine)
    ? `The published agent for ${engine} does not report how many messages wait. Ask the broker.`
    : "The agent has not reported a depth yet."
}
