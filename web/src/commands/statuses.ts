import type { Schemas } from "../api/client.ts"

export const commandStatuses: ReadonlyArray<Schemas["Command"]["status"]> = [
  "pending",
  "dispatched",
  "completed",
  "failed",
  "timeout",
  "cancelled"
]
