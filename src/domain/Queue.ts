import { Schema } from "effect"
import { Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/**
 * A queue of an engine (bodies: QueuePublic). `depth`: messages waiting, as the agent last reported it; `depth_note` says
 * why it is null. `broker_url_hint` never holds credentials.
 */
export const Queue = Schema.Struct({
  id: Id,
  project_id: Id,
  name: Schema.String,
  engine: Schema.String,
  broker_type: Schema.NullOr(Schema.String),
  broker_url_hint: Schema.NullOr(Schema.String),
  depth: Schema.NullOr(Schema.Int),
  depth_note: Schema.NullOr(Schema.String).annotations({ description: "why the depth is null" }),
  last_seen_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
}).annotations({ identifier: "Queue" })
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
