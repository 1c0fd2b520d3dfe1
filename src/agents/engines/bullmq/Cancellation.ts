/**
 * Cancelling a job that runs. BullMQ has no such thing: it aborts the processor's signal, and a processor that throws is
 * retried while it has attempts left. Two things make the job end as failed, once:
 *
 * - what the processor throws is replaced by an UnrecoverableError, which BullMQ does not retry;
 * - the job gets a deferred failure (field `defa`, as BullMQ gives a job that stalled too often), so that a job that its
 *   processor puts back, or whose process dies, fails at its next start instead of running.
 */
import { type Queue, type RedisClient, UnrecoverableError } from "bullmq"

/** How a cancelled job's `failedReason` begins. */
const CANCELLED = "cancelled by command"

/** Whether a job failed, or will fail, because it was cancelled. */
export const isCancellation = (reason: string | undefined): boolean =>
  reason !== undefined && (reason === CANCELLED || reason.startsWith(`${CANCELLED}: `))

/** The error that the job fails with, whatever its processor threw. */
export const makeCancellationError = (cause: unknown): Error => {
  const detail = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : ""
  const error = new UnrecoverableError(detail === "" || detail === CANCELLED ? CANCELLED : `${CANCELLED}: ${detail}`)
  if (cause instanceof Error) error.stack = `${error.name}: ${error.message}\nCaused by: ${cause.stack}`
  return error
}

/** Not on a job that has ended: it may be run again some day. */
const DEFER_FAILURE = {
  name: "svcDeferFailure",
  numberOfKeys: 1,
  lua: `if redis.call("EXISTS", KEYS[1]) == 1 and redis.call("HEXISTS", KEYS[1], "finishedOn") == 0 then
  return redis.call("HSET", KEYS[1], "defa", ARGV[1])
end`
}

/** How a cancelled job's run ended; `open`: put back, or not known here. */
export type RunEnd = "failed" | "completed" | "open"

interface CancelledJob {
  readonly ended: Promise<RunEnd>
  readonly end: (how: RunEnd) => void
  /** Ends when Redis has the deferred failure, or refused it. */
  readonly deferral: Promise<void>
}

/** The jobs of one worker that were cancelled and run on. */
export class CancelledJobs {
  readonly #jobs = new Map<string, CancelledJob>()
  readonly #queue: () => Queue | undefined

  constructor(queue: () => Queue | undefined) {
    this.#queue = queue
  }

  has(jobId: string): boolean {
    return this.#jobs.has(jobId)
  }

  /** Aborts the job's signal by `abort`, and tells how its run ended; null when `abort` says that there is no signal. */
  async cancel(jobId: string, abort: (reason: string) => boolean): Promise<RunEnd | null> {
    const before = this.#jobs.get(jobId)
    if (before !== undefined) return before.ended
    let end: (how: RunEnd) => void = () => undefined
    const ended = new Promise<RunEnd>((resolve) => (end = resolve))
    const deferral = this.#defer(jobId)
    this.#jobs.set(jobId, { ended, end, deferral })
    await deferral
    // an attempt that ended by itself meanwhile counts as cancelled too
    if (!this.has(jobId) || abort(CANCELLED)) return ended
    await this.clearDeferredFailure(jobId)
    this.#jobs.delete(jobId)
    return null
  }

  /** Takes the deferred failure back from a job whose processor returned: it succeeds, and may be run again some day. */
  async clearDeferredFailure(jobId: string): Promise<void> {
    await this.#jobs.get(jobId)?.deferral
    // Redis refuses: the job succeeds all the same, and fails with the cancellation as its reason if it is run again
    await this.#onRedis((client, key) => client.hdel(key, "defa"), jobId)
  }

  /** Called for each end that BullMQ tells of. */
  ended(jobId: string, how: RunEnd): void {
    this.#jobs.get(jobId)?.end(how)
  }

  /** The run is over, and BullMQ has done with the job what it could. */
  release(jobId: string): void {
    this.ended(jobId, "open")
    this.#jobs.delete(jobId)
  }

  #defer(jobId: string): Promise<void> {
    return this.#onRedis((client, key) => {
      client.defineCommand(DEFER_FAILURE.name, DEFER_FAILURE)
      return client.runCommand(DEFER_FAILURE.name, [key, CANCELLED])
    }, jobId)
  }

  /** Never fails: without its mark on the job a cancellation still ends this attempt. */
  async #onRedis(call: (client: RedisClient, key: string) => Promise<unknown>, jobId: string): Promise<void> {
    const queue = this.#queue()
    if (queue === undefined) return
    try {
      await call(await queue.getBackend().client, queue.toKey(jobId))
    } catch {
      // as said above
    }
  }
}
