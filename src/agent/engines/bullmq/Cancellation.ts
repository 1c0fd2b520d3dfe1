/**
 * Cancels a running job. BullMQ has no such operation: it aborts the processor's signal, and retries a job whose
 * processor throws while it has attempts left. Two measures make the job end as failed, once:
 *
 * - the processor's error is replaced by an UnrecoverableError, which BullMQ does not retry;
 * - the job gets a deferred failure (field `defa`, as BullMQ gives a job that stalled too often), so that a job that its
 *   processor puts back, or whose process dies, fails at its next start instead of running.
 */
import { type Queue, UnrecoverableError } from "bullmq"
import { clientOf, runScript } from "./Backend.ts"

/** How a cancelled job's `failedReason` begins. */
const CANCELLED = "cancelled by command"

/** Whether a job failed, or will fail, because it was cancelled. */
export const isCancellation = (reason: string | undefined): boolean =>
  reason !== undefined && (reason === CANCELLED || reason.startsWith(`${CANCELLED}: `))

/** The error that replaces the processor's. */
export const makeCancellationError = (cause: unknown): Error => {
  const detail = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : ""
  const error = new UnrecoverableError(detail === "" || detail === CANCELLED ? CANCELLED : `${CANCELLED}: ${detail}`)
  if (cause instanceof Error) error.stack = `${error.name}: ${error.message}\nCaused by: ${cause.stack}`
  return error
}

/** Not on an ended job: a later retry would fail. */
const DEFER_FAILURE = {
  name: "svcDeferFailure",
  lua: `if redis.call("EXISTS", KEYS[1]) == 1 and redis.call("HEXISTS", KEYS[1], "finishedOn") == 0 then
  return redis.call("HSET", KEYS[1], "defa", ARGV[1])
end`
}

/** How a cancelled job's run ended; `open`: put back, or unknown in this process. */
export type RunEnd = "failed" | "completed" | "open"

interface CancelledJob {
  readonly ended: Promise<RunEnd>
  readonly end: (how: RunEnd) => void
  /** Ends when Redis has the deferred failure, or refused it. */
  readonly deferral: Promise<void>
}

/** The cancelled jobs of one worker that still run. */
export class CancelledJobs {
  readonly #jobs = new Map<string, CancelledJob>()
  readonly #queue: () => Queue | undefined

  constructor(queue: () => Queue | undefined) {
    this.#queue = queue
  }

  has(jobId: string): boolean {
    return this.#jobs.has(jobId)
  }

  /**
   * Aborts the job's signal by `abort` and returns how its run ended; null when `abort` returns false: there is no
   * signal.
   */
  async cancel(jobId: string, abort: (reason: string) => boolean): Promise<RunEnd | null> {
    const before = this.#jobs.get(jobId)
    if (before !== undefined) return before.ended
    let end: (how: RunEnd) => void = () => undefined
    const runEnd = new Promise<RunEnd>((resolve) => (end = resolve))
    const deferral = this.#defer(jobId)
    this.#jobs.set(jobId, { ended: runEnd, end, deferral })
    await deferral
    // an attempt that ended by itself in between counts as cancelled too
    if (!this.has(jobId) || abort(CANCELLED)) return runEnd
    await this.clearDeferredFailure(jobId)
    this.#jobs.delete(jobId)
    return null
  }

  /** Removes the deferred failure of a job whose processor returned: it succeeds, and a later retry must not fail. */
  async clearDeferredFailure(jobId: string): Promise<void> {
    await this.#jobs.get(jobId)?.deferral
    // If Redis fails here, the job still succeeds, but a retry fails with the cancellation as its reason.
    await this.#onRedis(async (queue, key) => (await clientOf(queue)).hdel(key, "defa"), jobId)
  }

  /** Called for each end that BullMQ emits. */
  ended(jobId: string, how: RunEnd): void {
    this.#jobs.get(jobId)?.end(how)
  }

  /** The run is over: BullMQ has stored its end, or failed to. */
  release(jobId: string): void {
    this.ended(jobId, "open")
    this.#jobs.delete(jobId)
  }

  #defer(jobId: string): Promise<void> {
    return this.#onRedis((queue, key) => runScript(queue, DEFER_FAILURE, key, CANCELLED), jobId)
  }

  /** Never fails: a cancellation ends this attempt without the deferred failure too. */
  async #onRedis(call: (queue: Queue, key: string) => Promise<unknown>, jobId: string): Promise<void> {
    const queue = this.#queue()
    if (queue === undefined) return
    try {
      await call(queue, queue.toKey(jobId))
    } catch {
      // see above
    }
  }
}
