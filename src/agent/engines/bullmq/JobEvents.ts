/** A job's data in the events of the agents' protocol (section 4.2). */
import type { Job } from "bullmq"
import type { JsonInput } from "../../../domain/kernel/CanonicalJson.ts"
import { messageOf } from "../../runtime/ErrorInfo.ts"
import { wireTimeOf } from "../../runtime/WireTime.ts"
import { argumentsOf } from "./JobData.ts"
import { taskIdOf, taskIdOfKey } from "./TaskId.ts"

/** Reasons and notes of events. Both the watch beside workers and the reader of the event stream use them. */
export const REQUEUED = "put back by its processor"
export const WAITS_FOR_CHILDREN = "waits for its children"
export const STALLED = "stalled: its worker stopped renewing the lock"

export const taskIdOfJob = (job: Job): string => taskIdOf(job.queueName, job.id ?? "")

/** Data of every event of a job. */
export const baseData = (job: Job, worker: string | null): { readonly [field: string]: JsonInput | undefined } => ({
  task_name: job.name,
  queue: job.queueName,
  worker
})

/** What the job was created with: arguments, parent, options. */
export const originData = (job: Job): { readonly [field: string]: JsonInput | undefined } => ({
  ...argumentsOf(job.data),
  parent_task_id: parentOf(job),
  priority: priorityOf(job),
  max_attempts: job.opts.attempts,
  schedule: job.repeatJobKey
})

/** BullMQ's 0 means no priority. */
export const priorityOf = (job: Job): number | undefined => job.priority > 0 ? job.priority : undefined

export const parentOf = (job: Job): string | undefined =>
  job.parentKey === undefined ? undefined : taskIdOfKey(job.parentKey, job.prefix)

/** The time of a delayed job's first run, as `eta`. */
export const etaAfter = (from: number, delay: number | undefined): string | undefined =>
  delay === undefined || delay <= 0 ? undefined : etaOf(from + delay)

/** A time as `eta`. Where the wire has no such time its number: the brain stores no time then, and says so. */
export const etaOf = (millis: number): string => wireTimeOf(millis) ?? String(millis)

/** A thrown value as event data. */
export const errorData = (error: unknown): { readonly [field: string]: JsonInput | undefined } =>
  error instanceof Error
    ? { exception: error.name, exception_message: error.message, traceback: error.stack }
    : { exception: messageOf(error) }

/** A stored failure as event data: the message, and the stack whose first line is `Name: message`. */
export const storedErrorData = (
  reason: string | undefined,
  stacks: ReadonlyArray<string> | null
): { readonly [field: string]: JsonInput | undefined } => {
  const stack = stacks?.at(-1)
  const name = stack === undefined ? undefined : /^([\w$.]+)(?::|\n|$)/.exec(stack)?.[1]
  return { exception: name ?? reason, exception_message: name === undefined ? undefined : reason, traceback: stack }
}

/** Run time of the last attempt, in milliseconds. */
export const runtimeOf = ({ finishedOn, processedOn }: Job): number | undefined =>
  finishedOn === undefined || processedOn === undefined ? undefined : Math.max(finishedOn - processedOn, 0)
