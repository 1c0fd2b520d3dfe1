import { Effect, Either } from "effect"
import type { ProjectId, ScheduleId } from "../domain/kernel/Id.ts"
import type { Timestamp } from "../domain/kernel/Timestamp.ts"
import type { Cadence } from "../domain/schedules/Schedule/Cadence.ts"
import { decisionsOf, limitFires, restOfChain } from "../domain/schedules/Schedule/Decisions.ts"
import { compileSchedule, cursorAt, planFires } from "../domain/schedules/Schedule/Plan.ts"
import { hasSameControl, type KnownSchedule } from "./KnownSchedule.ts"
import { type LocalCursor, Store, type StoredDecision, type StoredSchedule } from "./Store.ts"

/** Schedules of one transaction. */
const batchSize = 500

/** Compiled cadences that are kept. */
const maxCompiled = 10_000

/** Where the schedule's definition does not compile on this machine. */
export interface BrokenSchedule {
  readonly schedule: KnownSchedule
  readonly detail: string
}

interface DecidedBatch {
  readonly count: number
  readonly hasMore: boolean
}

const noCursor: LocalCursor = { next_run_at: null, due_at: null }

/** Compiles the schedules' cadences, and keeps those of unchanged definitions. */
const makeCompile = () => {
  const compiled = new Map<ScheduleId, { readonly key: string; readonly cadence: Cadence }>()
  return (schedule: KnownSchedule): Either.Either<Cadence, string> => {
    const { anchor_at, expression, id, kind, timezone } = schedule
    const key = JSON.stringify([kind, expression, timezone, anchor_at])
    const known = compiled.get(id)
    if (known?.key === key) return Either.right(known.cadence)
    return Either.mapBoth(compileSchedule(schedule), {
      onLeft: ({ detail }) => detail,
      onRight: (cadence) => {
        if (compiled.size >= maxCompiled) compiled.clear()
        compiled.set(id, { key, cadence })
        return cadence
      }
    })
  }
}

/**
 * Decides about ticks whose time has come, and takes over what the brain reports about a schedule. Both only write the
 * store. `catchUpMax`: the most fires of a schedule that wait; older ones become skipped ticks.
 */
export const makeTicks = (catchUpMax: number) =>
  Effect.gen(function*() {
    const store = yield* Store
    const broken = new Map<ScheduleId, BrokenSchedule>()
    const compile = makeCompile()

    /** The cursor at the brain's next tick; none while the schedule does not fire, or does not compile. */
    const cursorFrom = (schedule: KnownSchedule): LocalCursor => {
      const { is_enabled, next_run_at } = schedule
      if (!is_enabled || next_run_at === null) return noCursor
      return Either.match(compile(schedule), {
        onLeft: (detail) => {
          broken.set(schedule.id, { schedule, detail })
          return noCursor
        },
        onRight: (cadence) => cursorAt(schedule, cadence, next_run_at, next_run_at)
      })
    }

    /** Drops the decisions about a schedule: its ticks from the brain's cursor on are decided again. */
    const begin = (schedule: KnownSchedule): void => {
      store.replaceChain(schedule.id, [])
      store.save({ ...schedule, cursor: cursorFrom(schedule) })
    }

    /**
     * Takes over the brain's state of a schedule, unless a newer one is known. Decisions stay while the definition is the
     * same and they begin at the brain's cursor; those before it are resolved. Returns why any were dropped, else null.
     */
    const take = (schedule: KnownSchedule): string | null => {
      const known = store.find(schedule.id)
      if (known !== undefined && known.schedule_revision > schedule.schedule_revision) return null
      const chain = known === undefined ? [] : store.chainOf(schedule.id)
      if (known === undefined || !hasSameControl(known, schedule)) {
        begin(schedule)
        return chain.length > 0 ? "the schedule was changed" : null
      }
      // `restOfChain` keeps the members of a decision, so a stored one stays a stored one
      const rest = restOfChain(chain, schedule.next_run_at) as ReadonlyArray<StoredDecision> | null
      if (rest === null) {
        begin(schedule)
        const isResolved = schedule.next_run_at === null ||
          chain.every(({ last_tick }) => last_tick < (schedule.next_run_at ?? last_tick))
        return chain.length === 0 || isResolved ? null : "the brain's cursor is at an earlier tick"
      }
      if (rest.length < chain.length || rest[0]?.first_tick !== chain[0]?.first_tick) {
        store.replaceChain(schedule.id, rest)
      }
      store.save({ ...schedule, cursor: known.cursor })
      return null
    }

    const decide = (schedule: StoredSchedule, now: Timestamp): void => {
      const tick = schedule.cursor.next_run_at
      if (tick === null) return
      const compiledCadence = compile(schedule)
      if (Either.isLeft(compiledCadence)) {
        store.save({ ...schedule, cursor: noCursor })
        broken.set(schedule.id, { schedule, detail: compiledCadence.left })
        return
      }
      const cadence = compiledCadence.right
      const plan = planFires({ ...schedule, next_run_at: tick }, cadence, now, {
        catchUpMax,
        graceSeconds: schedule.grace_seconds
      })
      const decisions = decisionsOf(tick, cadence, plan).map((decision) => ({ ...decision, decided_at: now }))
      const chain = limitFires([...store.chainOf(schedule.id), ...decisions], catchUpMax)
      store.replaceChain(schedule.id, chain.map((decision) => ({ decided_at: now, ...decision })))
      store.save({ ...schedule, cursor: plan.cursor })
    }

    return {
      /** Decides about all due ticks of up to 500 schedules. `hasMore`: others are due too. */
      decideDue: (now: Timestamp): DecidedBatch =>
        store.atomically(() => {
          const due = store.listDue(now, batchSize)
          for (const schedule of due) decide(schedule, now)
          return { count: due.length, hasMore: due.length === batchSize }
        }),
      take: (schedule: KnownSchedule): string | null => store.atomically(() => take(schedule)),
      /** As `take`, and drops the decisions: the brain refused the first of them. */
      takeAgain: (schedule: KnownSchedule): void => store.atomically(() => begin(schedule)),
      /** Takes over all schedules of a project; those that are not among them do not exist any more. */
      takeAll: (project: ProjectId, schedules: ReadonlyArray<KnownSchedule>): void =>
        store.atomically(() => {
          const ids = new Set(schedules.map(({ id }) => id))
          for (const id of store.listIds(project)) if (!ids.has(id)) store.deleteSchedule(id)
          for (const schedule of schedules) {
            const known = store.find(schedule.id)
            // lower only if the brain's database was restored from a backup
            if (known !== undefined && known.schedule_revision > schedule.schedule_revision) begin(schedule)
            else take(schedule)
          }
        }),
      /** Another instance fires the project: what was decided here is left to it. */
      standBy: (project: ProjectId): void =>
        store.atomically(() => {
          store.setLeaseHeld(project, false)
          for (const id of store.listIds(project)) {
            const schedule = store.find(id)
            if (schedule !== undefined) begin(schedule)
          }
        }),
      deleteSchedule: (id: ScheduleId): void => store.atomically(() => store.deleteSchedule(id)),
      /** The schedules that did not compile since the last call. */
      takeBroken: (): ReadonlyArray<BrokenSchedule> => {
        const found = [...broken.values()]
        broken.clear()
        return found
      },
      nextDue: store.nextDue
    }
  })

export type Ticks = Effect.Effect.Success<ReturnType<typeof makeTicks>>
