import { Clock, Effect, Random } from "effect"
import type { ScheduleId } from "../domain/kernel/Id.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { Brain, type BrainUnavailable, type HandoverOutcome } from "./Brain.ts"
import { Store, type StoredDecision, type StoredSchedule } from "./Store.ts"
import type { Ticks } from "./Ticks.ts"

/** Schedules whose decisions are sent to the brain at the same time. The decisions of one go one after the other. */
const concurrency = 16

const firstPauseMillis = 250
const longestPauseMillis = 30_000

interface Pause {
  readonly failures: number
  readonly until: number
}

/** Half of the pause at least, so that the schedules that failed together do not come back together. */
const pauseAfter = (failures: number, share: number): number =>
  Math.min(firstPauseMillis * 2 ** failures, longestPauseMillis) * (0.5 + share / 2)

/** Sends decisions to the brain, in order for each schedule, and keeps those that have no response yet. */
export const makeHandovers = (ticks: Ticks) =>
  Effect.gen(function*() {
    const store = yield* Store
    const turns = yield* Effect.makeSemaphore(1)
    const pauses = new Map<ScheduleId, Pause>()
    const state = { lastHandoverAt: null as Timestamp.Timestamp | null }

    const postpone = Effect.fnUntraced(function*(id: ScheduleId, reason: string) {
      const now = yield* Clock.currentTimeMillis
      const failures = (pauses.get(id)?.failures ?? 0) + 1
      const share = yield* Random.next
      pauses.set(id, { failures, until: now + pauseAfter(failures - 1, share) })
      yield* Effect.annotateLogs(Effect.logWarning(`a fire is not sent to the brain yet: ${reason}`), {
        schedule_id: id
      })
    })

    /** The brain's state counts: the decisions are dropped, and taken again from its cursor on. */
    const refresh = Effect.fnUntraced(function*(schedule: StoredSchedule, decision: StoredDecision, reason: string) {
      const { getState } = yield* Brain
      const live = yield* getState(schedule.project_id, schedule.id)
      if (live === null) ticks.deleteSchedule(schedule.id)
      else if (live.schedule_revision === schedule.schedule_revision && decision.kind === "fire") {
        // its clock was set back: the tick has fired, and the cursor is before it
        store.atomically(() => {
          const [, ...others] = store.chainOf(schedule.id)
          store.replaceChain(schedule.id, [{ ...decision, kind: "skip" }, ...others])
        })
      } else ticks.takeAgain(live)
      yield* postpone(schedule.id, `${reason}. The schedule's state was read again`)
    })

    const accept = (
      schedule: StoredSchedule,
      decision: StoredDecision,
      outcome: HandoverOutcome & { _tag: "Accepted" }
    ) =>
      store.atomically(() => {
        const current = store.find(schedule.id)
        if (current === undefined) return
        store.replaceChain(
          schedule.id,
          store.chainOf(schedule.id).filter(({ first_tick }) => first_tick > decision.last_tick)
        )
        ticks.take({ // nothing where the watch was faster
          ...current,
          schedule_revision: outcome.revision,
          last_run_at: outcome.last_run_at,
          next_run_at: outcome.next_run_at
        })
      })

    /** Hands over the first decision of a schedule. Returns whether the next one may follow at once. */
    const handOverFirst = Effect.fnUntraced(function*(id: ScheduleId) {
      const brain = yield* Brain
      const schedule = store.find(id)
      const [decision, next] = store.chainOf(id)
      if (schedule === undefined || decision === undefined) return false
      if (decision.first_tick !== schedule.next_run_at) {
        ticks.takeAgain(schedule) // decided again from the brain's cursor on
        return false
      }
      const request = {
        schedule,
        tick: decision.last_tick,
        decided_at: decision.decided_at,
        prepared_next_run_at: next?.first_tick ?? schedule.cursor.next_run_at
      }
      const outcome = yield* decision.kind === "fire" ? brain.fire(request) : brain.skip(request)
      switch (outcome._tag) {
        case "Accepted":
          accept(schedule, decision, outcome)
          pauses.delete(id)
          state.lastHandoverAt = yield* Timestamp.now
          return true
        case "Refresh":
          yield* refresh(schedule, decision, outcome.reason)
          return false
        case "Quarantined":
          ticks.takeAgain({ ...schedule, is_enabled: false })
          yield* Effect.annotateLogs(Effect.logWarning("the brain has the schedule in quarantine"), { schedule_id: id })
          return false
        case "Retry":
          yield* postpone(id, outcome.reason)
          return false
      }
    })

    const handOverChain = (id: ScheduleId) =>
      Effect.catchAll(
        Effect.repeat(handOverFirst(id), { while: (hasMore) => hasMore }),
        ({ message }: BrainUnavailable) => postpone(id, message)
      )

    const handOverReady = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const waiting = new Set(store.listWaiting())
      for (const id of pauses.keys()) if (!waiting.has(id)) pauses.delete(id)
      const ready = [...waiting].filter((id) => (pauses.get(id)?.until ?? 0) <= now)
      yield* Effect.forEach(ready, handOverChain, { concurrency, discard: true })
      return waiting.size > 0
    })

    return {
      /**
       * Sends what waits, as far as it is not postponed, and returns whether anything waited. One call at a time: the
       * one at the end of the program waits for that of the loop.
       */
      handOver: turns.withPermits(1)(handOverReady),
      /** What failed over the last connection may go at once over the next one. */
      clearPauses: Effect.sync(() => pauses.clear()),
      lastHandoverAt: () => state.lastHandoverAt
    }
  })

export type Handovers = Effect.Effect.Success<ReturnType<typeof makeHandovers>>
