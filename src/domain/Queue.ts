import { Schema } from "effect"
import { describe, exampleId, exampleTime, named } from "./Describe.ts"
import { Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/**
 * A queue of an engine (bodies: QueuePublic). `depth`: messages waiting, as the agent last reported it; `depth_note` says
 * why it is null. `broker_url_hint` never holds credentials.
 */
export const Queue = Schema.Struct({
  id: describe(Id, "Its id.", exampleId),
  project_id: describe(Id, "The project's id.", exampleId),
  name: describe(Schema.String, "The queue's name.", "default"),
  engine: describe(Schema.String, "The engine, in lower case.", "celery"),
  broker_type: describe(Schema.NullOr(Schema.String), "The broker's kind.", "redis"),
  broker_url_hint: describe(Schema.NullOr(Schema.String), "Where the broker is, without credentials.", "redis://redis:6379/0"),
  depth: describe(Schema.NullOr(Schema.Int), "Messages that wait, as the agent last reported; null where it cannot know.", 12),
  depth_note: describe(Schema.NullOr(Schema.String), "Why the depth is null.", null),
  last_seen_at: describe(Schema.NullOr(Timestamp), "When it was last heard of.", exampleTime),
  created_at: describe(Timestamp, "When it was created.", exampleTime)
}).annotations(named("Queue", "A queue of an engine."))
export type Queue = typeof Queue.Type

/** Engines whose published agents count no messages (agents' protocol, section 2.5). */
const UNCOUNTED: ReadonlySet<string> = new Set(["celery", "dramatiq", "huey", "arq", "taskiq"])

/** Why a queue's depth is null, in one sentence. */
export const depthNote = (engine: string, depth: number | null): string | null => {
  if (depth !== null) return null
  return UNCOUNTED.has(engine)
    ? `The published agent for ${engine} does not report how many messages wait. Ask the broker.`
    : "The agent has not reported a depth yet."
}
