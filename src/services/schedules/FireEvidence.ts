import { Effect, Option } from "effect"
import { NotFound } from "../../domain/kernel/Errors.ts"
import { FireRowId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { resolvedStatus, type ResolveLegacyEvidence } from "../../domain/schedules/Schedule/Recovery.ts"
import {
  checkUnsent,
  type Decision,
  notResolvable,
  readFireParameters
} from "../../domain/schedules/Schedule/Resolution.ts"
import { digestFire } from "../../domain/schedules/Schedule/WaitingFire.ts"
import * as Ids from "../kernel/Ids.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"

/** Evidence of fires that fencing does not prove. */
export const makeFireEvidence = Effect.gen(function*() {
  const fires = yield* FiresRepo
  const openFires = yield* OpenFiresRepo

  /** Keeps the fire of a command that is not recorded, so that no scheduler fires its tick again. */
  const recordFire = Effect.fnUntraced(function*(
    schedule: Schedule,
    { fire_id, work_may_have_executed }: Decision,
    scheduled_for: Timestamp,
    now: Timestamp
  ) {
    const { engine, id: schedule_id, project_id } = schedule
    yield* openFires.insert([{
      id: yield* Ids.nextOf(FireRowId),
      fire_id,
      project_id,
      schedule_id,
      engine,
      command_id: null,
      status: resolvedStatus(work_may_have_executed),
      scheduled_for,
      fired_at: now,
      definition_digest: digestFire(schedule),
      expires_at: now,
      fence: 0
    }])
  })

  /** A command `schedule.fire` of a scheduler that did not report its fires. */
  const resolveCommand = Effect.fnUntraced(
    function*(schedule: Schedule, input: ResolveLegacyEvidence, now: Timestamp) {
      const found = yield* fires.findCommand(schedule.project_id, input.source_evidence_id)
      if (Option.isNone(found)) return yield* new NotFound({ resource: "evidence" })
      const { action, payload, status, target_id } = found.value
      const { fire_id, tick } = readFireParameters(payload)
      if (action !== "schedule.fire" || target_id !== schedule.id || fire_id !== input.fire_id) {
        return yield* new NotFound({ resource: "evidence" })
      }
      if (status === "pending" || status === "dispatched") {
        return yield* notResolvable("The command has not ended yet.")
      }
      if (Option.isSome(yield* fires.findFire(schedule.id, input.fire_id))) {
        return yield* notResolvable("The fire is recorded. If its outcome is unknown, use resolve-terminal-fire.")
      }
      if (Option.isSome(tick)) yield* recordFire(schedule, input, tick.value, now)
    }
  )

  /** A recorded fire that no command carries: it waits, was left behind, or waited when its database was backed up. */
  const resolveFire = Effect.fnUntraced(function*(schedule: Schedule, input: ResolveLegacyEvidence) {
    const found = yield* fires.findFire(schedule.id, input.fire_id)
    if (Option.isNone(found) || found.value.id !== input.source_evidence_id) {
      return yield* new NotFound({ resource: "evidence" })
    }
    const refusal = checkUnsent(found.value.status, found.value.command_id)
    if (refusal !== null) return yield* refusal
    yield* openFires.resolve(found.value, resolvedStatus(input.work_may_have_executed))
  })

  return { resolveCommand, resolveFire } as const
})
