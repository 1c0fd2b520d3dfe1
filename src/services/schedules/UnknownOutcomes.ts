import { Effect } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { isServiceOwned } from "../../domain/schedules/Schedule.ts"
import type { CommandedFire } from "../../domain/schedules/Schedule/FireOutcome.ts"
import { describeUnknown, outcomeUnknown, quarantineAfter } from "../../domain/schedules/Schedule/Recovery.ts"
import { nextTokens } from "./ControlToken.ts"
import { SchedulesRepo } from "./Repo.ts"
import { ResolutionsRepo } from "./ResolutionsRepo.ts"
import { ScheduleWriter } from "./Writer.ts"

/** Fires that were sent and have no result, of schedules that do not fire on before their outcome is known. */
export const makeUnknownOutcomes = Effect.gen(function*() {
  const repo = yield* SchedulesRepo
  const resolutions = yield* ResolutionsRepo
  const writer = yield* ScheduleWriter

  const idsOf = (fires: ReadonlyArray<CommandedFire>) => [...new Set(fires.map(({ schedule_id }) => schedule_id))]

  /**
   * Locks the schedules with on_unknown_outcome quarantine, and keeps their fires to be resolved. Returns those that
   * go into quarantine; it replaces a quarantine for the definition, which the loop notices again.
   */
  const open = Effect.fnUntraced(function*(unknown: ReadonlyArray<CommandedFire>) {
    if (unknown.length === 0) return []
    const ids = idsOf(unknown)
    const newest = yield* repo.takeRevisions(ids.length)
    const candidates = (yield* repo.lockByIds(ids)).filter(
      (schedule) => isServiceOwned(schedule) && schedule.on_unknown_outcome === "quarantine"
    )
    const fires = unknown.filter(({ schedule_id }) => candidates.some(({ id }) => id === schedule_id))
    if (fires.length === 0) return []
    const now = yield* Timestamp.now
    yield* resolutions.insertOpen(fires.map(({ fire_id, schedule_id }) => ({
      schedule_id,
      evidence_kind: "fire",
      evidence_id: fire_id,
      fire_id,
      opened_at: now
    })))
    return candidates.filter(({ quarantine_code }) => quarantine_code !== outcomeUnknown).map((schedule, index) => ({
      schedule,
      code: outcomeUnknown,
      detail: describeUnknown(fires.find(({ schedule_id }) => schedule_id === schedule.id)?.fire_id ?? ""),
      schedule_revision: newest - index
    }))
  })

  /** The agent has reported the results of these fires late, so an operator has nothing to decide about them. */
  const end = Effect.fnUntraced(function*(lateFires: ReadonlyArray<CommandedFire>) {
    if (lateFires.length === 0) return
    const ids = idsOf(lateFires)
    const newest = yield* repo.takeRevisions(ids.length)
    const schedules = yield* repo.lockByIds(ids)
    yield* resolutions.deleteOpen(lateFires)
    const now = yield* Timestamp.now
    const quarantined = schedules.filter(({ quarantine_code }) => quarantine_code === outcomeUnknown)
    const changes = yield* Effect.forEach(
      quarantined,
      Effect.fnUntraced(function*(before, index) {
        const merged = { ...before, ...quarantineAfter(yield* resolutions.findOpen(before.id)) }
        const tokens = yield* nextTokens(merged)
        const fire_ids = lateFires.filter(({ schedule_id }) => schedule_id === before.id).map(({ fire_id }) => fire_id)
        const after = { ...merged, ...tokens, schedule_revision: newest - index, updated_at: now }
        return { before, after, metadata: { fire_ids } }
      })
    )
    if (changes.length > 0) yield* writer.writeAll("schedule.fire_answered_late", changes)
  })

  return { open, end } as const
})
