/** Watches a worker at the calls of its processor, where BullMQ has no event for what happens. */
import { type Job, RATE_LIMIT_ERROR, type Worker } from "bullmq"
import { replaceMethod } from "./ReplaceMethod.ts"

/** Where a processor put its job. */
export type PutBackTarget = "later" | "the queue" | "its children"

/** What a processor throws when it has put its job back itself, or wants it put back; BullMQ goes by these. */
export const putBackTargetOf = (error: unknown): PutBackTarget | undefined => {
  if (!(error instanceof Error)) return undefined
  return error.message === RATE_LIMIT_ERROR ? "the queue" : PUT_BACK_BY.get(error.name)
}

/** Whether a processor that throws this has moved its job itself, so that BullMQ leaves the job where it is. */
export const hasMovedJob = (error: unknown): boolean => error instanceof Error && PUT_BACK_BY.has(error.name)

const PUT_BACK_BY: ReadonlyMap<string, PutBackTarget> = new Map([
  ["DelayedError", "later"],
  ["WaitingError", "the queue"],
  ["WaitingChildrenError", "its children"]
])

interface ProcessorMethods {
  callProcessJob: (job: Job, token: string, signal?: AbortSignal) => Promise<unknown>
  processJob: (job: Job, token: string, fetchNext?: () => boolean) => Promise<void | Job>
}

export interface ProcessorHooks {
  /** Called before the processor's value goes to BullMQ; undefined: there is nothing to wait for. */
  readonly onReturned: (job: Job) => Promise<void> | undefined
  /** What BullMQ is to know as thrown, in place of what the processor threw. */
  readonly mapThrown: (job: Job, error: unknown) => unknown
  /** The processor has returned, or this counts as thrown. */
  readonly onEnded: (job: Job, error: unknown) => void
  /** BullMQ has done with the job what it could. */
  readonly onReleased: (job: Job) => void
}

/**
 * Keeps in `running` whom the worker's processor works on. BullMQ has no event for a job that its processor puts back,
 * nor for one whose end could not be written down, so the call of the processor itself is watched, and that around it.
 */
export const watchProcessor = (worker: Worker, running: Set<string>, { onEnded, onReturned, onReleased, mapThrown }: ProcessorHooks) => {
  // The assertion: the methods are for those who extend the class, which is what happens here to one object of it.
  const methods = worker as unknown as ProcessorMethods
  const call = methods.callProcessJob.bind(worker)
  const processJob = methods.processJob.bind(worker)
  const restoreCall = replaceMethod(methods, "callProcessJob", async (job, token, signal) => {
    running.add(job.id ?? "")
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
  const restoreProcess = replaceMethod(methods, "processJob", async (job, token, fetchNext) => {
    try {
      return await processJob(job, token, fetchNext)
    } finally {
      onReleased(job)
    }
  })
  return () => {
    restoreCall()
    restoreProcess()
  }
}
