import { Cause, Effect, Queue } from "effect"
import type { AgentEvent } from "../domain/kernel/TaskEvent.ts"
import type { Publication } from "../domain/schedules/Schedule/External.ts"
import { PublicationRefused, readUpdate, SnapshotAssembly, verifySnapshot } from "../protocol/SchedulePublication.ts"
import { yieldToEventLoop } from "../services/kernel/concurrency/EventLoop.ts"
import { Loops } from "../services/kernel/concurrency/Loops.ts"
import { isContention, isDataError, isUnavailable } from "../services/kernel/sql/Database.ts"
import { ScheduleStreams } from "../services/schedules/Streams.ts"
import { makeSnapshotAssemblies } from "./SnapshotAssemblies.ts"

/** Publications that wait for the database. */
const maxQueued = 64
/** A publication that the database keeps failing to apply would hold back all that wait behind it. */
const maxAttempts = 5

const failed = new PublicationRefused("failed", "The brain could not apply it; its log says why.")

interface Job {
  readonly sessionId: string
  readonly owner: string
  /** Why the publication is refused already, or the steps that read it. */
  readonly read: PublicationRefused | Generator<void, Publication | PublicationRefused, void>
  /** Bytes of the snapshot. */
  readonly bytes: number
  /** Whether the event was accepted. Plain code. */
  readonly done: (isAccepted: boolean) => void
}

/** Whether the event is a publication of schedules: the ingest has no use for it. */
export const isPublication = ({ kind }: AgentEvent): boolean =>
  kind === "schedule.snapshot" || kind === "schedule.updated"

/**
 * Reads the schedules that agents publish (agents' protocol, sections 6.3 and 6.4). A wrong publication is refused as a
 * whole; the session continues.
 */
export const makeSchedulePublications = Effect.gen(function*() {
  const streams = yield* ScheduleStreams
  const loops = yield* Loops
  const jobs = yield* Queue.bounded<Job>(maxQueued)
  /** Bytes of the snapshots of all jobs. */
  let jobBytes = 0
  /** A job whose effect is not committed; it survives a failure of the database. */
  let currentJob:
    | { readonly job: Job; readonly publication: Publication | PublicationRefused; attempts: number }
    | null = null
  const addFrame = yield* makeSnapshotAssemblies(() => jobBytes)

  /**
   * Takes an event of the session. Plain code, since the gateway's frames pass it. `done` is called once the event is
   * handled: for the frame that completes a snapshot, after its commit.
   */
  const offer = (event: AgentEvent, sessionId: string, done: (isAccepted: boolean) => void): void => {
    const found = event.kind === "schedule.snapshot" ? addFrame(event, sessionId) : readUpdate(event)
    if (found === null) return done(true)
    if (found === "stale") {
      streams.count("stale")
      return done(true)
    }
    const [read, bytes] = found instanceof SnapshotAssembly ? [verifySnapshot(found), found.bytes] : [found, 0]
    if (jobs.unsafeOffer({ sessionId, owner: event.engine, read, bytes, done })) {
      jobBytes += bytes
      return
    }
    streams.count("overload")
    done(false)
  }

  const verify = Effect.fnUntraced(
    function*({ read }: Job) {
      if (read instanceof PublicationRefused) return read
      let step = read.next()
      for (; step.done !== true; step = read.next()) yield* yieldToEventLoop
      return step.value
    },
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError("schedules that an agent published cannot be read", defect), failed)
    )
  )

  const apply = ({ owner, sessionId }: Job, publication: Publication | PublicationRefused) =>
    publication instanceof PublicationRefused
      ? Effect.as(streams.refuse(sessionId, owner, publication.reason, publication.detail), false)
      : Effect.as(streams.accept(sessionId, publication), true).pipe(
        Effect.retry({ while: isContention, times: 10 }),
        Effect.catchIf(
          (error) => isDataError(error) && !isUnavailable(error),
          () =>
            Effect.as(streams.refuse(sessionId, owner, "bad_row", "The database cannot store a value of it."), false)
        )
      )

  const work = Effect.gen(function*() {
    if (currentJob === null) {
      const job = yield* jobs.take
      currentJob = { job, publication: yield* verify(job), attempts: 0 }
    }
    const current = currentJob
    const { job, publication } = current
    const isAccepted = yield* apply(job, current.attempts < maxAttempts ? publication : failed).pipe(
      Effect.tapErrorCause((cause) =>
        Effect.sync(() => void (isUnavailable(Cause.squash(cause)) || current.attempts++))
      )
    )
    currentJob = null
    jobBytes -= job.bytes
    job.done(isAccepted)
  })

  yield* loops.forever("schedule publications", work, { longestPause: "5 seconds" })

  return { offer } as const
})
