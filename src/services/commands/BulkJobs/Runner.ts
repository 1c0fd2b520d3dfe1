import { Cause, Clock, Effect, FiberMap, Layer, Option, Queue, Stream } from "effect"
import { system } from "../../../domain/kernel/Actor.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import { isLeaseLost, Leader, type Lease } from "../../kernel/concurrency/Leader.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { CurrentActor } from "../../kernel/CurrentActor.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Hints, orDieOnSql } from "../../kernel/sql/Database.ts"
import { BulkJobCancellation } from "./Cancellation.ts"
import { BulkJobDeletion } from "./Deletion.ts"
import { BulkJobsRepo } from "./Repo.ts"
import { BulkRetrySteps } from "./Retry/Steps.ts"
import type { BulkRow } from "./Row.ts"
import type { Step } from "./Step.ts"

const loopName = "bulk jobs"

/** The name of the lease: one process of all replicas executes bulk jobs. */
export const leaseName = "bulk jobs"

/** After the leader is killed, another replica takes over within this time. */
const leaseDuration = "5 seconds"

/** Jobs per read. */
const maxJobs = 500

/** Jobs per read of retention. */
const disposedAtOnce = 100

/** A set that was not frozen by then never will be: its process was killed, or its caller has left. */
const freezeSeconds = 3600

/** Steps at the same time: of retries, and of walks, so that one whose tasks take long to find holds up no retry. */
const stepsAtOnce = 4

/** Between steps: while outcomes come in, while commands are open, and while nothing is to be done. */
const busyMillis = 10
const waitingMillis = 100
const idleMillis = 1000

/** How long commands without a result are read every `waitingMillis`. */
const patienceMillis = 10_000

/** A job that failed rests for so long, while the others continue. */
const restMillis = 5_000

/** Milliseconds until the next step; `quietMillis`: since the last one that moved something. */
const pauseAfter = ({ moved, openCommands, untilNext = Infinity }: Step, quietMillis: number): number => {
  if (moved > 0 && untilNext === Infinity) return openCommands === 0 ? 0 : busyMillis
  const pause = moved > 0 || (openCommands > 0 && quietMillis <= patienceMillis) ? waitingMillis : idleMillis
  return Math.min(pause, Math.max(busyMillis, untilNext))
}

/** Executes bulk jobs, each in a fiber of its own, and deletes those whose retention has passed. */
export class BulkJobRunner extends Effect.Service<BulkJobRunner>()("svc/BulkJobRunner", {
  effect: Effect.gen(function*() {
    const repo = yield* BulkJobsRepo
    const retries = yield* BulkRetrySteps
    const deletion = yield* BulkJobDeletion
    const cancellation = yield* BulkJobCancellation
    const leader = yield* Leader
    const loops = yield* Loops
    const hints = yield* Hints
    const wake = yield* Queue.sliding<void>(1)
    const { bulkRetryRetentionDays } = yield* Settings
    const retrySteps = yield* Effect.makeSemaphore(stepsAtOnce)
    const walkSteps = yield* Effect.makeSemaphore(stepsAtOnce)

    const pauseOrWake = Effect.raceFirst(Effect.sleep("1 second"), Queue.take(wake))

    /** The steps of a job, one after the other. Only the leader may take them. */
    const makeSteps = () => {
      const retry = retries.makeSteps()
      const cancel = cancellation.makeSteps()
      return (job: BulkRow) =>
        job.action === "retry"
          ? retrySteps.withPermits(1)(Effect.provideService(retry(job), CurrentActor, system("bulk retry")))
          : walkSteps.withPermits(1)(
            Effect.provideService(
              job.action === "delete" ? deletion.step(job) : cancel(job),
              CurrentActor,
              system("bulk job")
            )
          )
    }

    /** Moves a job on until nothing can be done for it. One that fails does not stop the others. */
    const follow = Effect.fnUntraced(function*(first: BulkRow, failing: Set<string>) {
      const step = makeSteps()
      const { id, project_id } = first
      const report = (cause: Cause.Cause<unknown>) =>
        Effect.logError("a step of a bulk job failed; it is retried after 5 s", cause).pipe(
          Effect.annotateLogs({ bulk_job_id: id, project_id }),
          Effect.zipRight(loops.markFailed(loopName, cause)),
          Effect.zipRight(Effect.sync(() => failing.add(id))),
          Effect.as(restMillis)
        )
      let movedAt = 0
      const takeStep = Effect.fnUntraced(function*(job: BulkRow) {
        const done = yield* step(job)
        failing.delete(id)
        const now = yield* Clock.currentTimeMillis
        if (done.moved > 0) movedAt = now
        return pauseAfter(done, now - movedAt)
      })
      let job = Option.some(first)
      while (Option.isSome(job)) {
        const pause = yield* Effect.catchAllCause(
          takeStep(job.value),
          // a lost lease ends all
          (cause) => Cause.isInterrupted(cause) || isLeaseLost(cause) ? Effect.failCause(cause) : report(cause)
        )
        yield* pause === 0 ? yieldToEventLoop : Effect.sleep(pause)
        job = yield* repo.findActive(id, yield* Timestamp.now)
      }
      failing.delete(id)
    })

    /** Executes every job that is left. */
    const lead: Effect.Effect<void, unknown, Lease> = Effect.gen(function*() {
      const fibers = yield* FiberMap.make<string, void, unknown>()
      const failing = new Set<string>()
      let after: string = Ids.minId
      const begin = Effect.gen(function*() {
        const jobs = yield* repo.listActive(after, yield* Timestamp.now, maxJobs)
        after = jobs.length < maxJobs ? Ids.minId : jobs.at(-1)?.id ?? Ids.minId
        for (const job of jobs) yield* FiberMap.run(fibers, job.id, follow(job, failing), { onlyIfMissing: true })
        if (failing.size === 0) yield* loops.reportSuccess(loopName)
        const isBusy = (yield* FiberMap.size(fibers)) > 0
        if (isBusy) yield* pauseOrWake
        return isBusy
      })
      yield* Effect.raceFirst(Effect.repeat(begin, { while: (isBusy) => isBusy }), FiberMap.join(fibers))
    }).pipe(Effect.scoped)

    /** Executes the jobs, if no other process does, and waits for new ones. */
    const run = Effect.gen(function*() {
      const [job] = yield* repo.listActive(Ids.minId, yield* Timestamp.now, 1)
      if (job !== undefined) yield* leader.only(leaseName, lead, { duration: leaseDuration })
      yield* pauseOrWake
    })

    const listen = Stream.runForEach(hints.subscribe("bulk_jobs"), () => Queue.offer(wake, undefined))

    /** Deletes jobs that ended before the retention, and those whose freezing was interrupted. */
    const prune = Effect.fn("BulkJobRunner.prune")(function*() {
      const now = yield* Timestamp.now
      const ended = Timestamp.addSeconds(now, -bulkRetryRetentionDays * Timestamp.secondsPerDay)
      const begun = Timestamp.addSeconds(now, -freezeSeconds)
      for (let more = true; more;) {
        const jobs = yield* repo.listDisposable(ended, begun, disposedAtOnce)
        yield* Effect.forEach(jobs, repo.discard, { discard: true })
        more = jobs.length === disposedAtOnce
      }
    }, orDieOnSql)

    return { makeSteps, run, listen, prune } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      BulkJobsRepo.layer,
      BulkJobDeletion.layer,
      BulkJobCancellation.layer,
      BulkRetrySteps.layer,
      Leader.layer
    ])
  )

  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const runner = yield* BulkJobRunner
    yield* Effect.forkScoped(runner.listen)
    yield* loops.forever(loopName, runner.run, { longestPause: "5 seconds" })
    yield* loops.upkeep("bulk jobs retention", "1 hour", runner.prune())
  })).pipe(Layer.provide(this.layer))
}
