import { Array as Arr, Cause, Clock, Duration, Effect, Fiber, Layer, Option, Queue, Stream } from "effect"
import type { ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { latestCursorAt } from "../../domain/schedules/Schedule/Plan.ts"
import { Commands } from "../commands/Commands.ts"
import { isLeaseLost, Leader, Lease } from "../kernel/concurrency/Leader.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { ScheduleEvents } from "../triggers/TriggerEvents/ScheduleEvents.ts"
import type { DueSchedule } from "./DueRepo.ts"
import { makeExternalMisfires } from "./ExternalMisfires.ts"
import { makeFireOutcomes } from "./FireOutcomes.ts"
import { FireRetention } from "./FireRetention.ts"
import { ScheduleFires } from "./Fires.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { FireWriter } from "./FireWriter.ts"
import { Misfires } from "./Misfires.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { ScheduleQuarantine } from "./Quarantine.ts"
import { SchedulesRepo } from "./Repo.ts"
import { ResolutionsRepo } from "./ResolutionsRepo.ts"
import { makeWaitingFires } from "./WaitingFires.ts"
import { ScheduleWriter } from "./Writer.ts"

const loopName = "schedule fires"

/** The name of the lease: one process of all replicas fires. */
export const leaseName = "schedules"

/** After the leader is killed, schedules fire again within this time. */
const leaseDuration = "10 seconds"

/** The loop reads the table at least this often: a hint may be lost, and the clock may be set forward. */
const maxSleepMillis = 1000

/** A batch that takes longer is reported, and its parts are tried alone: one statement that hangs must not stop all fires. */
const batchTimeout = "10 seconds"

/** The same for a part of such a batch. */
const partTimeout = "5 seconds"

/** Work that takes longer ends the lead with an error that `/health/deep` shows, and another replica may take over. */
const passTimeout = "90 seconds"

/** A schedule that cannot be fired is left out for this time, so that the others continue. */
const postponeMillis = 30_000

/**
 * Abandons work that hangs, also where the database does not respond to its cancellation: without the lease its
 * transaction cannot commit. An interruption from outside waits for the work to end.
 */
const withTimeout = <A, E, R>(work: string, timeout: Duration.DurationInput, effect: Effect.Effect<A, E, R>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkDaemon(restore(effect))
      const result = yield* restore(Effect.timeoutOption(Fiber.join(fiber), timeout)).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(fiber))
      )
      if (Option.isSome(result)) return result.value
      yield* Fiber.interruptFork(fiber)
      return yield* new Cause.TimeoutException(`${work} took longer than ${Duration.format(timeout)}`)
    })
  )

/** Fires schedules on one replica at a time (`Leader`), and watches that they do fire. */
const makeLoop = Effect.gen(function*() {
  const fires = yield* ScheduleFires
  const releaseWaiting = yield* makeWaitingFires
  const recordOutcomes = yield* makeFireOutcomes
  const retention = yield* FireRetention
  const misfires = yield* Misfires
  const watchExternal = yield* makeExternalMisfires
  const leader = yield* Leader
  const hints = yield* Hints
  const loops = yield* Loops
  const { embeddedScheduler } = yield* Settings
  const wake = yield* Queue.sliding<void>(1)
  /** When each was postponed. */
  const postponed = new Map<ScheduleId, number>()
  /** When each was found to be locked. They are left out for a second, so that many of them do not fill each batch. */
  const locked = new Map<ScheduleId, number>()

  const postpone = (schedule: DueSchedule, cause: Cause.Cause<unknown>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      postponed.set(schedule.id, now)
      return Effect.zipRight(
        loops.markFailed(loopName, cause),
        Effect.annotateLogs(
          Effect.logError(`a schedule cannot be fired; it is retried in ${postponeMillis / 1000} s`, cause),
          { schedule_id: schedule.id, project_id: schedule.project_id }
        )
      )
    })

  /**
   * Fires the batch, and returns the schedules of it that are dealt with. If that fails although the database responds,
   * one schedule is at fault: the batch is halved until it is alone, and that one is postponed.
   */
  const fireAll = (
    batch: ReadonlyArray<DueSchedule>,
    now: Timestamp.Timestamp,
    timeout: typeof batchTimeout | typeof partTimeout = batchTimeout
  ): Effect.Effect<ReadonlyArray<ScheduleId>, Effect.Effect.Error<Lease["Type"]["check"]>, Lease> =>
    Effect.catchAllCause(withTimeout("firing schedules", timeout, fires.fireBatch(batch, now)), (cause) => {
      if (Cause.isInterrupted(cause)) return Effect.interrupt
      const handled = isLeaseLost(cause) ? Effect.succeed([]) : splitBatch(batch, now, cause)
      return Effect.zipRight(Effect.flatMap(Lease, ({ check }) => check), handled)
    })

  const splitBatch = (
    batch: ReadonlyArray<DueSchedule>,
    now: Timestamp.Timestamp,
    cause: Cause.Cause<unknown>
  ) => {
    const [first] = batch
    if (first === undefined) return Effect.succeed([])
    if (batch.length === 1) return Effect.as(postpone(first, cause), [first.id])
    const middle = Math.ceil(batch.length / 2)
    const halves = [batch.slice(0, middle), batch.slice(middle)]
    return Effect.zipRight(
      Effect.logWarning(`${batch.length} schedules cannot be fired together; the halves are tried`, cause),
      Effect.map(Effect.forEach(halves, (half) => fireAll(half, now, partTimeout)), Arr.flatten)
    )
  }

  const sleepUntilDue = (hasOverdue: boolean) =>
    Effect.gen(function*() {
      const { cursor_at, due_at } = yield* fires.nextDue
      const now = yield* Timestamp.now
      if (cursor_at !== null && cursor_at > latestCursorAt(now)) {
        if ((yield* fires.rewind()) > 0) return
      }
      const millis = due_at === null ? Infinity : Timestamp.toEpochMillis(due_at) - Timestamp.toEpochMillis(now)
      const wait = hasOverdue && millis <= 0 ? maxSleepMillis : millis // overdue are those postponed or locked
      yield* Effect.raceFirst(Effect.sleep(Math.min(Math.max(wait, 1), maxSleepMillis)), wake.take)
    })

  const fireNext = Effect.gen(function*() {
    const nowMillis = yield* Clock.currentTimeMillis
    for (const [id, since] of postponed) if (Math.abs(nowMillis - since) >= postponeMillis) postponed.delete(id)
    for (const [id, since] of locked) if (Math.abs(nowMillis - since) >= maxSleepMillis) locked.delete(id)
    const { batch, hasMore, now } = yield* fires.listDue(new Set([...postponed.keys(), ...locked.keys()]))
    const done = new Set(batch.length === 0 ? [] : yield* fireAll(batch, now))
    for (const { id } of batch) if (!done.has(id)) locked.set(id, nowMillis)
    if (postponed.size === 0) yield* loops.reportSuccess(loopName)
    if (!hasMore) yield* sleepUntilDue(postponed.size + locked.size > 0)
  })

  /** What fails beside the fires is logged and retried, so that it does not stop them; a lost lease ends all. */
  const logFailure = <E, R>(work: string, effect: Effect.Effect<unknown, E, R>) =>
    Effect.catchAllCause(
      withTimeout(work, passTimeout, effect),
      (cause) =>
        Cause.isInterrupted(cause) || isLeaseLost(cause)
          ? Effect.failCause(cause)
          : Effect.logError(`${work} of schedules failed; it is retried`, cause)
    )

  const forever = <E, R>(work: string, tick: Effect.Effect<unknown, E, R>, pause: Duration.DurationInput) =>
    Effect.forever(Effect.zipRight(logFailure(work, tick), Effect.sleep(pause)))

  const work = Effect.zipRight(
    Effect.zipRight(logFailure("preparing the partitions", retention.prepare), misfires.beginLeading),
    Effect.all([
      embeddedScheduler
        ? Effect.forever(withTimeout("a round of the fire loop", passTimeout, fireNext))
        : Effect.forever(Effect.delay(loops.reportSuccess(loopName), "1 second")), // a scheduler program fires
      forever("sending waiting fires", releaseWaiting(), "1 second"),
      forever("recording outcomes", Effect.repeat(recordOutcomes(), { while: (hasMore) => hasMore }), "1 second"),
      forever("watching for misfires", misfires.watch, "10 seconds"),
      forever("watching engines' own schedulers", watchExternal, "10 seconds"),
      forever("retention", Effect.zipRight(retention.prepare, retention.sweep()), "1 hour"),
      Stream.runForEach(hints.subscribe("schedules"), () => wake.offer(undefined))
    ], { concurrency: "unbounded", discard: true })
  )

  yield* loops.every("schedule clock", "1 second", misfires.observeClock)
  yield* loops.forever(loopName, leader.lead(leaseName, work, { duration: leaseDuration }), {
    longestPause: "5 seconds"
  })
})

export const layer = Layer.scopedDiscard(makeLoop).pipe(
  Layer.provide([
    Commands.layer,
    FireRetention.layer,
    FiresRepo.layer,
    FireWriter.layer,
    Leader.layer,
    Misfires.layer,
    OpenFiresRepo.layer,
    ResolutionsRepo.layer,
    ScheduleEvents.layer,
    ScheduleFires.layer,
    ScheduleQuarantine.layer,
    SchedulesRepo.layer,
    ScheduleWriter.layer
  ])
)
