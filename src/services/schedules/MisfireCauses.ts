import { Effect } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { MisfireCause } from "../../domain/schedules/Schedule/Misfire.ts"
import { Settings } from "../kernel/Settings.ts"
import { SchedulerPrograms } from "./SchedulerPrograms.ts"

/** A longer gap between two readings of the clock, a second apart, is a step. */
const clockStepSeconds = 5

/** Why ticks did not fire, as far as this process has seen of the clock and of its lead. */
export const makeMisfireCauses = Effect.gen(function*() {
  const programs = yield* SchedulerPrograms
  const { embeddedScheduler } = yield* Settings
  const startedAt = yield* Timestamp.now
  const since = { started: startedAt, leading: startedAt }
  const clock = { seenAt: startedAt, steppedFrom: startedAt, steppedTo: startedAt }

  /**
   * Notices that the time jumped. The fire loop calls it each second, so a longer gap is a clock that was set forward,
   * or a machine or process that was suspended.
   */
  const observeClock = Effect.map(Timestamp.now, (now) => {
    if (Timestamp.secondsBetween(clock.seenAt, now) > clockStepSeconds) {
      clock.steppedFrom = clock.seenAt
      clock.steppedTo = now
    }
    clock.seenAt = now
    if (now < since.started) since.started = now
    if (now < since.leading) since.leading = now
  })

  /** The cause by the time that a tick was due. */
  const readCauses = Effect.map(
    embeddedScheduler ? Effect.succeed(null) : programs.aliveSince,
    (aliveSince) => (due: Timestamp.Timestamp): MisfireCause => {
      if (due < since.started) return "brain_down"
      if (due >= clock.steppedFrom && due < clock.steppedTo) return "clock_step"
      if (!embeddedScheduler) return aliveSince !== null && aliveSince <= due ? "late" : "scheduler_down"
      return due < since.leading ? "lease_lost" : "late"
    }
  )

  return {
    observeClock,
    readCauses,
    /** This process leads from now on: earlier ticks were another process's to fire. */
    beginLeading: Effect.map(Timestamp.now, (now) => void (since.leading = now))
  } as const
})
