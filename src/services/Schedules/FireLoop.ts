import { Cause, Clock, type Duration, Effect, Layer, Option, Queue, Stream } from "effect"
import type { ScheduleId } from "../../domain/Id.ts"
import { latestCursorAt } from "../../domain/Schedule/Plan.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Hints } from "../Database.ts"
import { Leader, Lease, LeaseLost } from "../Leader.ts"
import { Loops } from "../Loops.ts"
import { Settings } from "../Settings.ts"
import type { DueSchedule } from "./DueRepo.ts"
import { FireOutcomes } from "./FireOutcomes.ts"
import { FireRetention } from "./FireRetention.ts"
import { ScheduleFires } from "./Fires.ts"
import { Misfires } from "./Misfires.ts"

const loopName = "schedule fires"

/** The name of the lease: one process of all replicas fires. */
const leaseName = "schedules"

/** After the leader is killed, schedules fire again within this time. */
const leaseDuration = "10 seconds"

/** The loop looks at the table at least this often: a hint may be lost, and the clock may be set forward. */
const maxSleepMillis = 1000

/** A batch that takes longer is interrupted and reported, so that one statement that hangs does not stop all fires. */
const batchTimeout = "30 seconds"

/** A schedule that cannot be fired is left out for this time, so that the others go on. */
const postponeMillis = 30_000

const isLeaseLost = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.failureOption(cause), (failure) => failure instanceof LeaseLost)

/** Fires schedules on one replica at a time (`Leader`), and watches that they do fire. */
const makeLoop = Effect.gen(function*() {
  const fires = yield* ScheduleFires
  const outcomes = yield* FireOutcomes
  const retention = yield* FireRetention
  const misfires = yield* Misfires
  const leader = yield* Leader
  const hints = yield* Hints
  const loops = yield* Loops
  const { embeddedScheduler } = yield* Settings
  const wake = yield* Queue.sliding<void>(1)
  /** When each was postponed. */
  const postponed = new Map<ScheduleId, number>()

  const postpone = (schedule: DueSchedule, cause: Cause.Cause<unknown>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      postponed.set(schedule.id, now)
      return Effect.annotateLogs(
        Effect.logError(`a schedule cannot be fired; it is tried again in ${postponeMillis / 1000} s`, cause),
        { schedule_id: schedule.id, project_id: schedule.project_id }
      )
    })

  /**
   * Fires the batch. If that fails although the database answers, one schedule is at fault: the batch is halved until
   * it is alone, and that one is postponed.
   */
  const fireAll = (
    batch: ReadonlyArray<DueSchedule>,
    now: Timestamp.Timestamp
  ): Effect.Effect<void, Effect.Effect.Error<Lease["Type"]["check"]>, Lease> =>
    Effect.catchAllCause(
      Effect.timeoutFail(fires.fireBatch(batch, now), {
        duration: batchTimeout,
        onTimeout: () => new Cause.TimeoutException(`firing schedules took longer than ${batchTimeout}`)
      }),
      (cause) => {
        if (Cause.isInterrupted(cause)) return Effect.interrupt
        const handled = isLeaseLost(cause) ? Effect.void : splitBatch(batch, now, cause)
        return Effect.zipRight(Effect.flatMap(Lease, ({ check }) => check), handled)
      }
    )

  const splitBatch = (
    batch: ReadonlyArray<DueSchedule>,
    now: Timestamp.Timestamp,
    cause: Cause.Cause<unknown>
  ) => {
    const [first] = batch
    if (first === undefined) return Effect.void
    if (batch.length === 1) return postpone(first, cause)
    const middle = Math.ceil(batch.length / 2)
    return Effect.zipRight(fireAll(batch.slice(0, middle), now), fireAll(batch.slice(middle), now))
  }

  const sleepUntilDue = (hasPostponed: boolean) =>
    Effect.gen(function*() {
      const { cursor_at, due_at } = yield* fires.nextDue
      const now = yield* Timestamp.now
      if (cursor_at !== null && cursor_at > latestCursorAt(now)) {
        return yield* Effect.repeat(fires.rewind(), { while: (hasMore) => hasMore })
      }
      const millis = due_at === null ? Infinity : Timestamp.toEpochMillis(due_at) - Timestamp.toEpochMillis(now)
      const wait = hasPostponed && millis <= 0 ? maxSleepMillis : millis // what is overdue now is postponed
      yield* Effect.raceFirst(Effect.sleep(Math.min(Math.max(wait, 1), maxSleepMillis)), wake.take)
    })

  const fireNext = Effect.gen(function*() {
    const nowMillis = yield* Clock.currentTimeMillis
    for (const [id, since] of postponed) if (Math.abs(nowMillis - since) >= postponeMillis) postponed.delete(id)
    const { batch, hasMore, now } = yield* fires.listDue(new Set(postponed.keys()))
    if (batch.length > 0) yield* fireAll(batch, now)
    yield* loops.reportSuccess(loopName)
    if (!hasMore) yield* sleepUntilDue(postponed.size > 0)
  })

  /** Another program fires (SVC_EMBEDDED_SCHEDULER=false); the rest of the loop goes on. */
  const reportIdle = loops.reportSuccess(loopName)

  /** What fails beside the fires is logged and tried again, so that it does not stop them; a lost lease ends all. */
  const logFailure = <E, R>(work: string, effect: Effect.Effect<unknown, E, R>) =>
    Effect.catchAllCause(effect, (cause) =>
      Cause.isInterrupted(cause) || isLeaseLost(cause)
        ? Effect.failCause(cause)
        : Effect.logError(`${work} of schedules failed; it is tried again`, cause))

  const forever = <E, R>(work: string, tick: Effect.Effect<unknown, E, R>, pause: Duration.DurationInput) =>
    Effect.forever(Effect.zipRight(logFailure(work, tick), Effect.sleep(pause)))

  const lead = Effect.zipRight(
    Effect.zipRight(logFailure("preparing the partitions", retention.prepare), misfires.beginLeading),
    Effect.all([
      embeddedScheduler ? Effect.forever(fireNext) : Effect.forever(Effect.delay(reportIdle, "1 second")),
      forever("sending waiting fires", fires.releaseWaiting(), "1 second"),
      forever("recording outcomes", Effect.repeat(outcomes.record(), { while: (hasMore) => hasMore }), "1 second"),
      forever("watching for misfires", misfires.watch, "10 seconds"),
      forever("retention", Effect.zipRight(retention.prepare, retention.sweep()), "1 hour"),
      Stream.runForEach(hints.subscribe("schedules"), () => wake.offer(undefined))
    ], { concurrency: "unbounded", discard: true })
  )

  // another replica leads: look again later
  const leadOrWait = Effect.flatMap(
    leader.only(leaseName, lead, { duration: leaseDuration }),
    Option.match({ onNone: () => Effect.sleep("1 second"), onSome: () => Effect.void })
  )
  yield* loops.every("schedule clock", "1 second", misfires.observeClock)
  yield* loops.forever(loopName, leadOrWait, { longestPause: "5 seconds" })
})

export const layer = Layer.scopedDiscard(makeLoop).pipe(
  Layer.provide([FireOutcomes.layer, FireRetention.layer, Leader.layer, Misfires.layer, ScheduleFires.layer])
)
