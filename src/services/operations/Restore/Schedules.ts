import { Array as Arr, Effect, Either, Layer } from "effect"
import { FireRowId } from "../../../domain/kernel/Id.ts"
import type * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../../domain/schedules/Schedule.ts"
import { fireIdOf } from "../../../domain/schedules/Schedule/FireId.ts"
import { compileSchedule, cursorAfter } from "../../../domain/schedules/Schedule/Plan.ts"
import { describeUnknown, outcomeUnknown } from "../../../domain/schedules/Schedule/Recovery.ts"
import { digestFire } from "../../../domain/schedules/Schedule/WaitingFire.ts"
import * as Ids from "../../kernel/Ids.ts"
import { DueRepo, type RewoundCursor } from "../../schedules/DueRepo.ts"
import { type EndedFire, OpenFiresRepo } from "../../schedules/OpenFiresRepo.ts"
import { ScheduleQuarantine } from "../../schedules/Quarantine.ts"
import { SchedulesRepo } from "../../schedules/Repo.ts"
import { ResolutionsRepo } from "../../schedules/ResolutionsRepo.ts"
import { StreamsRepo } from "../../schedules/StreamsRepo.ts"
import { counterGap } from "./Tables.ts"

/** Schedules of one statement. */
const slice = 500

const isActive = ({ is_enabled, paused_at, quarantined_at }: Schedule): boolean =>
  is_enabled && paused_at === null && quarantined_at === null

/**
 * The schedules of a restored database. Whether the ticks between backup and restore fired is unknown, and so is the
 * outcome of fires that were open. None of them fires again, and schedules with on_unknown_outcome quarantine go into
 * quarantine.
 */
export class RestoredSchedules extends Effect.Service<RestoredSchedules>()("svc/RestoredSchedules", {
  effect: Effect.gen(function*() {
    const due = yield* DueRepo
    const openFires = yield* OpenFiresRepo
    const repo = yield* SchedulesRepo
    const resolutions = yield* ResolutionsRepo
    const streams = yield* StreamsRepo
    const quarantine = yield* ScheduleQuarantine

    /**
     * For a schedule with on_unknown_outcome quarantine, the first tick that may have fired becomes a fire to be
     * resolved.
     */
    const insertPassedFires = (schedules: ReadonlyArray<Schedule>, now: Timestamp.Timestamp) =>
      Effect.gen(function*() {
        const quarantining = schedules.filter((one) => one.on_unknown_outcome === "quarantine" && isActive(one))
        const fires = yield* Effect.forEach(quarantining, (schedule) =>
          Effect.gen(function*() {
            const { engine, id, next_run_at, project_id } = schedule
            if (next_run_at === null) return []
            return [{
              id: yield* Ids.nextOf(FireRowId),
              fire_id: fireIdOf(id, next_run_at),
              project_id,
              schedule_id: id,
              engine,
              command_id: null,
              status: "pending" as const,
              scheduled_for: next_run_at,
              fired_at: now,
              definition_digest: digestFire(schedule),
              expires_at: now,
              fence: 0
            }]
          }))
        if (fires.flat().length > 0) yield* openFires.insert(fires.flat())
      })

    const cursorsOf = Effect.fnUntraced(function*(schedules: ReadonlyArray<Schedule>, now: Timestamp.Timestamp) {
      const compiled = schedules.flatMap((schedule) => {
        const cadence = compileSchedule(schedule)
        return Either.isRight(cadence) ? [{ schedule, cursor: cursorAfter(schedule, cadence.right, now) }] : []
      })
      const newest = yield* repo.takeRevisions(compiled.length)
      return compiled.map(({ cursor, schedule: { anchor_at, enabled_at, id } }, index): RewoundCursor => ({
        ...cursor,
        id,
        anchor_at,
        enabled_at,
        schedule_revision: newest - index
      }))
    })

    /**
     * Moves every schedule to its next tick after now. One whose definition does not compile stays, and the fire loop
     * puts it into quarantine. Returns the number of schedules whose ticks have passed.
     */
    const moveCursors = Effect.fnUntraced(function*(now: Timestamp.Timestamp) {
      let count = 0
      for (let after = Ids.minId;;) {
        const schedules = yield* due.listPassed(now, after, slice)
        const last = schedules.at(-1)
        if (last === undefined) return count
        yield* insertPassedFires(schedules, now)
        const cursors = yield* cursorsOf(schedules, now)
        if (cursors.length > 0) yield* due.rewindCursors(cursors)
        count += schedules.length
        after = last.id
      }
    })

    /**
     * The schedules of unknown fires with on_unknown_outcome quarantine. Writes the audit rows, so it is called last.
     */
    const quarantineUnknown = Effect.fnUntraced(function*(fires: ReadonlyArray<EndedFire>, now: Timestamp.Timestamp) {
      const byId = Arr.groupBy(fires, ({ schedule_id }) => schedule_id)
      let count = 0
      for (const ids of Arr.chunksOf([...new Set(fires.map(({ schedule_id }) => schedule_id))], slice)) {
        const quarantining = (yield* repo.lockByIds(ids)).filter((one) => one.on_unknown_outcome === "quarantine")
        const unknown = quarantining.flatMap(({ id }) => byId[id] ?? [])
        if (unknown.length === 0) continue
        yield* resolutions.insertOpen(unknown.map(({ command_id, fire_id, id, schedule_id }) => ({
          schedule_id,
          evidence_kind: "fire" as const,
          evidence_id: command_id === null ? id : fire_id,
          fire_id,
          opened_at: now
        })))
        const newest = yield* repo.takeRevisions(quarantining.length)
        yield* quarantine.begin(quarantining.map((schedule, index) => ({
          schedule,
          code: outcomeUnknown,
          detail: describeUnknown(byId[schedule.id]?.[0]?.fire_id ?? ""),
          schedule_revision: newest - index
        })))
        count += quarantining.length
      }
      return count
    })

    return {
      moveCursors,
      endFires: openFires.endAll,
      quarantineUnknown,
      raiseRevisions: (before: number) => repo.raiseRevisions(before, counterGap),
      endStreams: (now: Timestamp.Timestamp) => streams.endAll(now, counterGap)
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      DueRepo.layer,
      OpenFiresRepo.layer,
      ResolutionsRepo.layer,
      SchedulesRepo.layer,
      ScheduleQuarantine.layer,
      StreamsRepo.layer
    ])
  )
}
