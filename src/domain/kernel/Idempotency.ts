import { secondsPerDay } from "./Timestamp.ts"

/** How long a request's idempotency key is remembered, in seconds; the header and the body's member alike. */
export const idempotencyRetentionSeconds = secondsPerDay
