/** Wraps the calls of a worker's processor, for what BullMQ emits no event for. */
import { type Job, RATE_LIMIT_ERROR, type Worker } from "bullmq"
import { replaceMethod } from "./ReplaceMethod.ts"

/** Where a processor put its job. */
export type RequeueTarget = "later" | "the queue" | "its children"

/** Where a thrown error says that its processor put the job back. BullMQ decides by the same errors. */
export const requeueTargetOf = (error: unknown): RequeueTarget | undefined => {
  if (!(error instanceof Error)) return undefined
  return error.message === RATE_LIMIT_ERROR ? "the queue" : REQUEUED_BY.get(error.name)
}

/** Whether a processor that throws this has moved its job itself, so that BullMQ leaves the job where it is. */
export const hasRequeuedJob = (error: unknown): boolean => error instanceof Error && REQUEUED_BY.has(error.name)

const REQUEUED_BY: ReadonlyMap<string, RequeueTarget> = new Map([
  ["DelayedError", "later"],
  ["WaitingError", "the queue"],
  ["WaitingChildrenError", "its children"]
])

interface ProcessorMethods {
  callProcessJob: (job: Job, token: string, signal?: AbortSignal) => Promise<unknown>
  processJob: (job: Job, ...others: ReadonlyArray<unknown>) => Promise<void | Job>
}

export interface ProcessorHooks {
  /** Called before the processor gets the job. */
  readonly onStarting: (job: Job) => void
  /** Called before BullMQ gets the processor's value; undefined when there is nothing to wait for. */
  readonly onReturned: (job: Job) => Promise<void> | undefined
  /** The error that BullMQ gets in place of the processor's. */
  readonly mapThrown: (job: Job, error: unknown) => unknown
  /** The processor has returned, or failed with this error. */
  readonly onEnded: (job: Job, error: unknown) => void
  /** BullMQ has stored the job's end, or failed to. */
  readonly onReleased: (job: Job) => void
}

/**
 * Keeps the ids of running jobs in `running`. BullMQ has no event for a job that its processor puts back, nor for one
 * whose end could not be stored. Therefore the call of the processor and the method around it are wrapped.
 */
export const watchProcessor = (
  worker: Worker,
  running: Set<string>,
  { mapThrown, onEnded, onReleased, onReturned, onStarting }: ProcessorHooks
) => {
  // The assertion: the methods are protected, for subclasses. Here one object is changed as a subclass would be.
  const methods = worker as unknown as ProcessorMethods
  const call = methods.callProcessJob.bind(worker)
  const processJob = methods.processJob.bind(worker)
  const restoreCall = replaceMethod(methods, "callProcessJob", async (job, token, signal) => {
    running.add(job.id ?? "")
    onStarting(job)
    try {
      const result = await call(job, token, signal)
      const pendingWork = onReturned(job)
      if (pendingWork !== undefined) await pendingWork
      onEnded(job, undefined)
      return result
    } catch (caught) {
      const error = mapThrown(job, caught)
      onEnded(job, error ?? new Error("nothing was thrown"))
      throw error
    } finally {
      running.delete(job.id ?? "")
    }
  })
  const restoreProcess = replaceMethod(methods, "processJob", async (job, ...others) => {
    try {
      return await processJob(job, ...others)
    } finally {
      onReleased(job)
    }
  })
  return () => {
    restoreCall()
    restoreProcess()
  }
}
