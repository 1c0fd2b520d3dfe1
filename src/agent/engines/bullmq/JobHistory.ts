/** What happened to a job, by the names of the stream's entries. */
import type { Job } from "bullmq"

export interface JobHistory {
  readonly jobId: string
  readonly events: ReadonlyArray<string>
  /** Undefined where it is gone. */
  readonly job: Job | undefined
}

export const historiesOf = (
  entries: ReadonlyArray<{ readonly event: string; readonly jobId: string }>,
  jobs: ReadonlyMap<string, Job>
): ReadonlyArray<JobHistory> => {
  const eventsByJob = new Map<string, Array<string>>()
  for (const { event, jobId } of entries) {
    const events = eventsByJob.get(jobId)
    if (events === undefined) eventsByJob.set(jobId, [event])
    else events.push(event)
  }
  return [...eventsByJob].map(([jobId, events]) => ({ jobId, events, job: jobs.get(jobId) }))
}

export const hasEnded = ({ events }: JobHistory): boolean => events.includes("completed") || events.includes("failed")

export interface Outcome {
  readonly isRunning: boolean
  readonly hasEndedAttempt: boolean
  /** The job will not run again: another one may get its id. One that failed can still be retried. */
  readonly isGone: boolean
}

export const outcomeOf = ({ events }: JobHistory, wasRunning: boolean): Outcome => {
  let [isRunning, hasEndedAttempt, isGone] = [wasRunning, false, false]
  for (const event of events) {
    if (event === "added") isGone = false
    else if (event === "active") isRunning = true
    else if (ENDS_ATTEMPT.has(event)) {
      hasEndedAttempt ||= isRunning
      isRunning = false
    }
    if (event === "completed" || event === "removed") isGone = true
  }
  return { isRunning, hasEndedAttempt, isGone }
}

/** Of a job that runs. */
const ENDS_ATTEMPT: ReadonlySet<string> = new Set([
  "completed",
  "failed",
  "stalled",
  "delayed",
  "waiting",
  "waiting-children",
  "removed"
])

/** Whether an earlier attempt may have written lines. A retry of a failed job counts its attempts anew. */
export const hasRunBefore = ({ job }: JobHistory): boolean => {
  if (job === undefined) return false
  const failuresOfAttempt = job.failedReason === undefined || job.failedReason === "" ? 0 : 1
  return job.attemptsStarted > 1 || (job.stacktrace?.length ?? 0) > failuresOfAttempt
}
