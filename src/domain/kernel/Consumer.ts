import { Schema } from "effect"

/** Who takes an event out of the outbox: each has its own copy. */
export const Consumer = Schema.Literal("notifications", "rules")
export type Consumer = typeof Consumer.Type
