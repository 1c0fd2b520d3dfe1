import type { Schemas } from "../api/client.ts"
import { lineOf } from "../bulkRetries/bulkRetry.ts"
import type { TaskState } from "../tasks/states.ts"

export type BulkJob = Schemas["BulkJob"]

/** Each status has the shape of the task state that it resembles. */
export const statusShapes: Readonly<Record<BulkJob["status"], TaskState>> = {
  running: "started",
  completed: "success",
  stopped: "revoked"
}

/** The filter of a job as a line of the list of tasks, without the time of its creation, which bounds every job. */
export const lineOfJob = ({ created_at, filter }: Pick<BulkJob, "created_at" | "filter">): string =>
  lineOf(Object.fromEntries(
    Object.entries(filter)
      .filter(([name, value]) => name !== "filter_until" || value !== created_at)
      .map(([name, value]) => [name.replace(/^filter_/, ""), value])
  ))

/** Tasks of a job by how far they are, in the order of its bar. */
export const partsOf = (
  { done, outcomes, skipped, total }: Pick<BulkJob, "done" | "outcomes" | "skipped" | "total">
) => {
  const { failed = 0, pending = 0, unknown = 0 } = outcomes ?? {}
  const succeeded = done - pending - failed - unknown
  return { succeeded, failed, unknown, skipped, pending, left: Math.max(0, (total ?? 0) - done - skipped) }
}
