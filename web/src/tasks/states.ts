import type { Schemas } from "../api/client.ts"

export type TaskState = Schemas["Task"]["state"]

/** In the order of a task's life. */
export const taskStates: ReadonlyArray<TaskState> = [
  "pending",
  "received",
  "started",
  "success",
  "failure",
  "retry",
  "revoked",
  "rejected",
  "unknown"
]

/** Whether there is nothing left to cancel. */
export const isOver = ({ state }: { readonly state: TaskState }): boolean =>
  state === "success" || state === "failure" || state === "revoked" || state === "rejected"
