import { Schema } from "effect"
import { Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/**
 * A queue of an engine (bodies: QueuePublic). `depth`: messages waiting, as the agent last reported it; null where it
 * cannot (Celery on Redis, Dramatiq). `broker_url_hint` never holds credentials.
 */
export const Queue = Schema.Struct({
  id: Id,
  project_id: Id,
  name: Schema.String,
  engine: Schema.String,
  broker_type: Schema.NullOr(Schema.String),
  broker_url_hint: Schema.NullOr(Schema.String),
  depth: Schema.NullOr(Schema.Int),
  last_seen_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
}).annotations({ identifier: "Queue" })
export type Queue = typeof Queue.Type
