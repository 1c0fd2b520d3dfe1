import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ScheduleId } from "../../domain/kernel/Id.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import {
  type LegacyFireGrant,
  resolvedStatus,
  type ResolveLegacyEvidence,
  type ResolveTerminalFire
} from "../../domain/schedules/Schedule/Recovery.ts"
import { checkUnknown } from "../../domain/schedules/Schedule/Resolution.ts"
import { inTransaction } from "../kernel/sql/Database.ts"
import { nextTokens } from "./ControlToken.ts"
import { makeFireEvidence } from "./FireEvidence.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { staleToken } from "./Refusals.ts"
import { makeResolutions } from "./Resolutions.ts"
import { type Evidence, ResolutionsRepo } from "./ResolutionsRepo.ts"
import { withoutCounts } from "./ScheduleReads.ts"
import { ScheduleWriter } from "./Writer.ts"

/** What operators decide where the brain would have to guess: quarantines, unknown outcomes, old schedulers. */
export class ScheduleRecovery extends Effect.Service<ScheduleRecovery>()("svc/ScheduleRecovery", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const fires = yield* FiresRepo
    const openFires = yield* OpenFiresRepo
    const resolutions = yield* makeResolutions
    const evidences = yield* makeFireEvidence
    const writer = yield* ScheduleWriter

    /** Decides the outcome of a fire that was sent and has no result. Nothing is sent again. */
    const resolveTerminalFire = Effect.fn("ScheduleRecovery.resolveTerminalFire")(
      function*(id: ScheduleId, input: ResolveTerminalFire) {
        const locked = yield* writer.lock(id, "recover")
        const { schedule } = locked
        const evidence: Evidence = { schedule_id: id, evidence_kind: "fire", evidence_id: input.fire_id }
        const fire = yield* fires.findFire(id, input.fire_id)
        const known = yield* resolutions.find(evidence)
        // retention may have deleted the row of a fire that still keeps its schedule in quarantine
        if (Option.isNone(fire) && Option.isNone(known)) return yield* new NotFound({ resource: "fire" })
        if (Option.isSome(fire) && fire.value.command_id !== input.command_id) {
          return yield* new NotFound({ resource: "command" })
        }
        const command = yield* fires.findCommand(schedule.project_id, input.command_id)
        const command_status = Option.match(command, {
          onNone: () => "timeout" as const,
          onSome: ({ status }) => status
        })
        const { command_id, fire_id } = input
        const earlier = yield* resolutions.findEarlier(known, input, schedule)
        if (earlier !== null) return { ...earlier, command_id, command_status, fire_id }
        if (input.observed_control_token !== schedule.control_token) return yield* staleToken
        if (input.expected_status !== command_status) {
          return yield* new Conflict({
            code: "command_status_changed",
            detail: `The command is ${command_status}, not ${input.expected_status}. Look at its result, then decide.`
          })
        }
        if (Option.isSome(fire)) {
          const refusal = checkUnknown(fire.value.status)
          if (refusal !== null) return yield* refusal
          yield* openFires.resolve(fire.value, resolvedStatus(input.work_may_have_executed))
        }
        const result = yield* resolutions.decide(locked, evidence, input, "schedule.fire_resolved")
        return { ...result, command_id, command_status, fire_id }
      },
      inTransaction(sql)
    )

    /** Decides about evidence of a fire that fencing does not prove. */
    const resolveLegacyEvidence = Effect.fn("ScheduleRecovery.resolveLegacyEvidence")(
      function*(id: ScheduleId, input: ResolveLegacyEvidence) {
        const locked = yield* writer.lock(id, "recover")
        const { now, schedule } = locked
        const { fire_id, source_evidence_id, source_evidence_kind } = input
        const evidence = { schedule_id: id, evidence_kind: source_evidence_kind, evidence_id: source_evidence_id }
        const known = yield* resolutions.find(evidence)
        if (Option.isSome(known) && known.value.fire_id !== fire_id) {
          return yield* new NotFound({ resource: "evidence" })
        }
        const earlier = yield* resolutions.findEarlier(known, input, schedule)
        if (earlier !== null) return { ...earlier, fire_id, source_evidence_id, source_evidence_kind }
        if (input.observed_control_token !== schedule.control_token) return yield* staleToken
        if (source_evidence_kind === "command") yield* evidences.resolveCommand(schedule, input, now)
        else yield* evidences.resolveFire(schedule, input)
        const result = yield* resolutions.decide(locked, evidence, input, "schedule.evidence_resolved")
        return { ...result, fire_id, source_evidence_id, source_evidence_kind }
      },
      inTransaction(sql)
    )

    /** Grants or revokes that a scheduler without fencing fires the schedule. A state that holds already stays as it is. */
    const legacyFireGrant = Effect.fn("ScheduleRecovery.legacyFireGrant")(
      function*(id: ScheduleId, input: LegacyFireGrant) {
        if (input.allow && !input.all_replicas_quiesced_and_resynced) {
          return yield* ValidationFailed.at(
            "all_replicas_quiesced_and_resynced",
            "must be true: a replica that still fires from an old view would fire ticks twice"
          )
        }
        const { now, schedule, schedule_revision } = yield* writer.lock(id, "recover")
        const isGranted = schedule.legacy_fire_control_token !== null
        if (isGranted === input.allow) return withoutCounts(schedule)
        if (input.observed_control_token !== schedule.control_token) return yield* staleToken
        if (input.allow && schedule.quarantined_at !== null) {
          return yield* new Conflict({
            code: "schedule_quarantined",
            detail: "The schedule is in quarantine. End that first, then grant."
          })
        }
        const tokens = yield* nextTokens(schedule)
        const changed: Schedule = {
          ...schedule,
          ...tokens,
          legacy_fire_control_token: input.allow ? tokens.control_token : null,
          schedule_revision,
          updated_at: now
        }
        yield* writer.write(
          schedule,
          changed,
          input.allow ? "schedule.legacy_fire_granted" : "schedule.legacy_fire_revoked",
          {}
        )
        return withoutCounts(changed)
      },
      inTransaction(sql)
    )

    return { resolveTerminalFire, resolveLegacyEvidence, legacyFireGrant } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([FiresRepo.layer, OpenFiresRepo.layer, ResolutionsRepo.layer, ScheduleWriter.layer])
  )
}
