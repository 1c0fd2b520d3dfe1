import { Cause, Clock, type Duration, Effect, Layer } from "effect"
import { system } from "../../../domain/kernel/Actor.ts"
import type { BulkJobId, ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import { isLeaseLost, Leader, type Lease } from "../../kernel/concurrency/Leader.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { CurrentActor } from "../../kernel/CurrentActor.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { EngineAgents } from "../EngineAgents.ts"
import { BulkJobCancellation } from "./Cancellation.ts"
import { BulkJobDeletion } from "./Deletion.ts"
import { type BulkJobRow, BulkJobsRepo } from "./Repo.ts"
import { cancelAction } from "./View.ts"

const loopName = "bulk jobs"

/** The name of the lease: one process of all replicas executes bulk jobs. */
export const leaseName = "bulk jobs"

/** Jobs of a round; the next round goes on after them. */
const maxJobs = 500

/** Between rounds in which no job moved: they wait for agents, outcomes, or the end of a failure. */
const waitingPause = (rounds: number): Duration.DurationInput => rounds <= 40 ? "250 millis" : "1 second"

/** Jobs that are executed at the same time: one whose tasks take long to find does not hold up all others. */
const jobsAtOnce = 4

/** A job that failed rests for so long, while the others go on. */
const restMillis = 5_000

/** Executes bulk jobs, a slice of each in turn, and deletes those whose retention has passed. */
export class BulkJobRunner extends Effect.Service<BulkJobRunner>()("svc/BulkJobRunner", {
  effect: Effect.gen(function*() {
    const repo = yield* BulkJobsRepo
    const deletion = yield* BulkJobDeletion
    const cancellation = yield* BulkJobCancellation
    const leader = yield* Leader
    const loops = yield* Loops
    const engineAgents = yield* EngineAgents
    const { bulkRetryRetentionDays } = yield* Settings

    const chooseIn = (projectId: ProjectId) => engineAgents.chooseIn(projectId, cancelAction)

    /** One step of a job; returns how many tasks it moved. Only the leader may do it. */
    const advance = (job: BulkJobRow, chooseAgents = chooseIn) =>
      Effect.provideService(
        job.act === "delete" ? deletion.advance(job) : cancellation.advance(job, chooseAgents),
        CurrentActor,
        system("bulk job")
      )

    const failedAt = new Map<BulkJobId, number>()

    const report = Effect.fnUntraced(function*({ id, project_id }: BulkJobRow, cause: Cause.Cause<unknown>) {
      failedAt.set(id, yield* Clock.currentTimeMillis)
      yield* loops.markFailed(loopName, cause)
      yield* Effect.annotateLogs(Effect.logError("a step of a bulk job failed; it is retried after 5 s", cause), {
        bulk_job_id: id,
        project_id
      })
      return null
    })

    /** A job that cannot go on does not stop the others: null. A lost lease ends all. */
    const advanceOrReport = Effect.fnUntraced(function*(job: BulkJobRow, chooseAgents: typeof chooseIn) {
      if ((yield* Clock.currentTimeMillis) - (failedAt.get(job.id) ?? 0) < restMillis) return null
      failedAt.delete(job.id)
      return yield* Effect.catchAllCause(
        advance(job, chooseAgents),
        (cause) => Cause.isInterrupted(cause) || isLeaseLost(cause) ? Effect.failCause(cause) : report(job, cause)
      )
    })

    /** The job after which the next round begins, and the rounds since a job has moved. */
    let after: string = Ids.minId
    let waitingRounds = 0

    /** A slice of each job; returns whether there may be more to do. */
    const round = Effect.gen(function*() {
      const isFirst = after === Ids.minId
      const jobs = yield* repo.listUnsettled(after, maxJobs)
      after = jobs.length < maxJobs ? Ids.minId : jobs.at(-1)?.id ?? Ids.minId
      const chooseAgents = yield* Effect.cachedFunction(chooseIn) // the agents are the same for all jobs of a project
      const moved = yield* Effect.forEach(
        jobs,
        (job) => Effect.zipLeft(advanceOrReport(job, chooseAgents), yieldToEventLoop),
        { concurrency: jobsAtOnce }
      )
      if (!moved.includes(null)) yield* loops.reportSuccess(loopName)
      const isWaiting = jobs.length > 0 && moved.every((tasks) => tasks === null || tasks === 0)
      waitingRounds = isWaiting ? waitingRounds + 1 : 0
      if (isWaiting) yield* Effect.sleep(waitingPause(waitingRounds))
      return jobs.length > 0 || !isFirst
    })

    const runAll: Effect.Effect<void, unknown, Lease> = Effect.asVoid(
      Effect.repeat(round, { while: (mayHaveMore) => mayHaveMore })
    )

    /** Executes every job that is left, if no other process does. */
    const run = Effect.flatMap(
      repo.listUnsettled(Ids.minId, 1),
      ([job]) => job === undefined ? Effect.void : leader.only(leaseName, runAll)
    )

    const prune = Effect.fn("BulkJobRunner.prune")(function*() {
      yield* repo.prune(Timestamp.addSeconds(yield* Timestamp.now, -bulkRetryRetentionDays * Timestamp.secondsPerDay))
    }, orDieOnSql)

    return { advance, run, prune } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      BulkJobsRepo.layer,
      BulkJobDeletion.layer,
      BulkJobCancellation.layer,
      EngineAgents.layer,
      Leader.layer
    ])
  )

  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const runner = yield* BulkJobRunner
    yield* loops.every(loopName, "1 second", runner.run, { longestPause: "5 seconds" })
    yield* loops.upkeep("bulk jobs retention", "1 hour", runner.prune())
  })).pipe(Layer.provide(this.layer))
}
