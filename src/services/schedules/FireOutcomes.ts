import { Effect, Option } from "effect"
import type { ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { breakerWindow, countConsecutiveFailures, failedFireStatuses } from "../../domain/schedules/Schedule/Fire.ts"
import {
  type CommandedFire,
  type FireMove,
  hasLateResult,
  isUnknown,
  moveOf
} from "../../domain/schedules/Schedule/FireOutcome.ts"
import { Lease } from "../kernel/concurrency/Leader.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { ScheduleEvents, type ScheduleFact } from "../triggers/TriggerEvents/ScheduleEvents.ts"
import { nextTokens } from "./ControlToken.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { scheduler } from "./FireWriter.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { ScheduleQuarantine } from "./Quarantine.ts"
import { SchedulesRepo } from "./Repo.ts"
import { makeUnknownOutcomes } from "./UnknownOutcomes.ts"
import { ScheduleWriter } from "./Writer.ts"

/** Fires of one transaction. */
const batchSize = 500

/** A fire with an unknown outcome neither succeeded nor failed. */
const factsOf = (
  { project_id, schedule_id }: CommandedFire,
  { acked_at, error_message, status }: FireMove,
  now: Timestamp.Timestamp
): ReadonlyArray<ScheduleFact> => {
  const fact = { project_id, schedule_id, at: acked_at ?? now }
  switch (status) {
    case "acked_success":
    case "terminal_completed":
      return [{ ...fact, trigger: "schedule.fire.succeeded", detail: null }]
    case "failed":
    case "acked_failed":
    case "terminal_failed":
      return [{ ...fact, trigger: "schedule.fire.failed", detail: error_message ?? null }]
    default:
      return []
  }
}

/** Takes the outcomes of commands over into their fires, and disables schedules that keep failing. */
export const makeFireOutcomes = Effect.gen(function*() {
  const openFires = yield* OpenFiresRepo
  const fires = yield* FiresRepo
  const repo = yield* SchedulesRepo
  const quarantine = yield* ScheduleQuarantine
  const unknownOutcomes = yield* makeUnknownOutcomes
  const writer = yield* ScheduleWriter
  const events = yield* ScheduleEvents
  const { scheduleBreakerThreshold } = yield* Settings

  const countFailures = (id: ScheduleId) =>
    Effect.map(
      fires.listStatuses([id], breakerWindow),
      (rows) => countConsecutiveFailures(rows.map(({ status }) => status))
    )

  /** Disables the schedule, unless a person enabled or disabled it in between. */
  const trip = Effect.fnUntraced(function*(projectId: ProjectId, id: ScheduleId) {
    const lease = yield* Lease
    const countedAt = yield* Timestamp.now
    const failures = yield* countFailures(id)
    if (failures < scheduleBreakerThreshold) return
    yield* lease.withTransaction(Effect.gen(function*() {
      const schedule_revision = yield* repo.takeRevisions(1)
      const locked = yield* repo.lock(projectId, id)
      const now = yield* Timestamp.now
      if (Option.isNone(locked) || !locked.value.is_enabled || locked.value.enabled_at > countedAt) return
      const tokens = yield* nextTokens(locked.value)
      const disabled = { ...locked.value, is_enabled: false, ...tokens, schedule_revision, updated_at: now }
      yield* repo.markTripped(id, now)
      yield* events.record([{
        project_id: projectId,
        schedule_id: id,
        trigger: "schedule.circuit_breaker.tripped",
        at: now,
        detail: `${failures} fires failed in a row, so the schedule was disabled.`
      }])
      yield* writer.write(locked.value, disabled, "schedule.circuit_breaker.tripped", {
        consecutive_failures: failures,
        threshold: scheduleBreakerThreshold
      })
    }))
  })

  /** Moves the fires whose commands have moved; returns whether more wait. */
  const record = Effect.fn("FireOutcomes.record")(function*() {
    const lease = yield* Lease
    const commanded = yield* openFires.listCommanded(batchSize)
    if (commanded.length === 0) return false
    const moves = commanded.map(moveOf)
    const now = yield* Timestamp.now
    const unknown = commanded.filter((fire, index) => isUnknown(moves[index]?.status, fire))
    yield* lease.withTransaction(Effect.gen(function*() {
      yield* unknownOutcomes.end(commanded.filter(hasLateResult))
      const uncertain = yield* unknownOutcomes.open(unknown)
      const moved = new Set((yield* openFires.move(moves)).map(({ id }) => id))
      yield* events.record(
        commanded.flatMap((fire, index) => moved.has(fire.id) ? factsOf(fire, moves[index]!, now) : [])
      )
      yield* quarantine.begin(uncertain)
    }))
    const failed = new Map(
      commanded.flatMap(({ project_id, schedule_id }, index) => {
        const status = moves[index]?.status
        return status !== undefined && failedFireStatuses.has(status) ? [[schedule_id, project_id] as const] : []
      })
    )
    if (scheduleBreakerThreshold > 0) {
      yield* Effect.forEach(failed, ([id, projectId]) => trip(projectId, id), { discard: true })
    }
    return commanded.length === batchSize
  }, Effect.provideService(CurrentActor, scheduler))

  return record
})
