import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { asString, JsonObject, parse } from "../../domain/kernel/CanonicalJson.ts"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { FireRowId, type ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { liveFireStatuses } from "../../domain/schedules/Schedule/Fire.ts"
import {
  decideSchedule,
  type LegacyFireGrant,
  resolvedStatus,
  type ResolveLegacyEvidence,
  type ResolveTerminalFire
} from "../../domain/schedules/Schedule/Recovery.ts"
import { digestFire } from "../../domain/schedules/Schedule/WaitingFire.ts"
import * as Ids from "../kernel/Ids.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { nextToken, nextTokens } from "./ControlToken.ts"
import { type Evidence, FiresRepo, type Resolution } from "./FiresRepo.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { staleToken } from "./Refusals.ts"
import { withoutCounts } from "./ScheduleReads.ts"
import { ScheduleWriter } from "./Writer.ts"

type Decision = Pick<ResolveTerminalFire, "fire_id" | "work_may_have_executed" | "enabled_after_resolution">

/** Statuses of a fire that was sent and did not end by a word of its agent. */
const unknownStatuses: ReadonlyArray<string> = ["terminal_timeout", "terminal_cancelled"]

/** Of a fire without a command. A restore ends the fires that waited (`Restore/Schedules.ts`). */
const resolvableStatuses: ReadonlyArray<string> = [...liveFireStatuses, "terminal_timeout"]

const notResolvable = (detail: string) => new Conflict({ code: "fire_not_resolvable", detail })

const decodeTick = Schema.decodeUnknownOption(Timestamp.Timestamp)

/** What the parameters of a command `schedule.fire` say about the fire. */
const readFireParameters = (payload: string) => {
  const node = parse(payload)
  const members = node instanceof JsonObject ? node : null
  return { fire_id: asString(members?.get("fire_id")), tick: decodeTick(asString(members?.get("scheduled_for"))) }
}

/**
 * What operators decide where the brain would have to guess: quarantines, unknown outcomes, old schedulers. One
 * constructor: the decisions share their locks, and how one is recorded and repeated.
 */
export class ScheduleRecovery extends Effect.Service<ScheduleRecovery>()("svc/ScheduleRecovery", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const fires = yield* FiresRepo
    const openFires = yield* OpenFiresRepo
    const writer = yield* ScheduleWriter

    /** The result of an equal earlier request; null: there was none. Fails if the earlier request differed. */
    const findEarlierResult = Effect.fnUntraced(
      function*(known: Option.Option<Resolution>, decision: Decision, schedule: Schedule) {
        if (Option.isNone(known) || known.value.resolved_at === null) return null
        const { control_token, enabled_after_resolution, grant_carried, revision, work_may_have_executed } = known.value
        if (
          work_may_have_executed !== decision.work_may_have_executed ||
          enabled_after_resolution !== decision.enabled_after_resolution
        ) {
          return yield* new Conflict({
            code: "fire_already_resolved",
            detail:
              `The fire was resolved with work_may_have_executed ${work_may_have_executed} and enabled_after_resolution ${enabled_after_resolution}.`
          })
        }
        return {
          disposition: "already_resolved",
          schedule: withoutCounts(schedule),
          resolution_control_token: control_token,
          committed_revision: revision,
          grant_carried: grant_carried === true
        }
      }
    )

    /** Records the decision, and ends the quarantine unless another fire is still to be resolved. */
    const decide = Effect.fnUntraced(function*(
      { now, schedule, schedule_revision }: Effect.Effect.Success<ReturnType<typeof writer.lock>>,
      evidence: Evidence,
      decision: Decision,
      action: string
    ) {
      const { enabled_after_resolution, fire_id, work_may_have_executed } = decision
      const control_token = yield* nextToken
      const resolution = {
        ...evidence,
        fire_id,
        work_may_have_executed,
        enabled_after_resolution,
        resolved_at: now,
        control_token,
        revision: schedule_revision
      }
      yield* fires.resolve({ ...resolution, grant_carried: false })
      const next = yield* fires.findOpen(schedule.id)
      const changed = decideSchedule(schedule, {
        control_token,
        enabled_after_resolution,
        next,
        now,
        schedule_revision
      })
      const grant_carried = changed.legacy_fire_control_token !== null
      if (grant_carried) yield* fires.resolve({ ...resolution, grant_carried })
      const { evidence_id, evidence_kind } = evidence
      const shown = yield* writer.write(schedule, changed, action, {
        fire_id,
        evidence_kind,
        evidence_id,
        work_may_have_executed,
        enabled_after_resolution
      })
      return {
        disposition: "resolved",
        schedule: withoutCounts(shown),
        resolution_control_token: control_token,
        committed_revision: schedule_revision,
        grant_carried
      }
    })

    /** Decides the outcome of a fire that was sent and has no result. Nothing is sent again. */
    const resolveTerminalFire = Effect.fn("ScheduleRecovery.resolveTerminalFire")(
      function*(id: ScheduleId, input: ResolveTerminalFire) {
        const locked = yield* writer.lock(id, "recover")
        const { schedule } = locked
        const evidence: Evidence = { schedule_id: id, evidence_kind: "fire", evidence_id: input.fire_id }
        const fire = yield* fires.findFire(id, input.fire_id)
        const known = yield* fires.findResolution(evidence)
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
        const earlier = yield* findEarlierResult(known, input, schedule)
        if (earlier !== null) return { ...earlier, command_id, command_status, fire_id }
        if (input.observed_control_token !== schedule.control_token) return yield* staleToken
        if (input.expected_status !== command_status) {
          return yield* new Conflict({
            code: "command_status_changed",
            detail: `The command is ${command_status}, not ${input.expected_status}. Look at its result, then decide.`
          })
        }
        if (Option.isSome(fire)) {
          const { status } = fire.value
          if (!unknownStatuses.includes(status)) {
            return yield* notResolvable(`The fire is ${status}: its outcome is known, or still to come.`)
          }
          yield* openFires.resolve(fire.value, resolvedStatus(input.work_may_have_executed))
        }
        const result = yield* decide(locked, evidence, input, "schedule.fire_resolved")
        return { ...result, command_id, command_status, fire_id }
      },
      sql.withTransaction,
      orDieOnSql
    )

    /** Keeps the fire of a command that is not recorded, so that no scheduler fires its tick again. */
    const recordFire = Effect.fnUntraced(function*(
      { id: schedule_id, ...schedule }: Schedule,
      { fire_id, work_may_have_executed }: Decision,
      command: { readonly id: string; readonly tick: Timestamp.Timestamp },
      now: Timestamp.Timestamp
    ) {
      const { engine, project_id } = schedule
      yield* openFires.insert([{
        id: yield* Ids.nextOf(FireRowId),
        fire_id,
        project_id,
        schedule_id,
        engine,
        command_id: null,
        status: resolvedStatus(work_may_have_executed),
        scheduled_for: command.tick,
        fired_at: now,
        definition_digest: digestFire(schedule),
        expires_at: now,
        fence: 0
      }])
    })

    /** A command `schedule.fire` of a scheduler that did not report its fires. */
    const resolveCommand = Effect.fnUntraced(
      function*(schedule: Schedule, input: ResolveLegacyEvidence, now: Timestamp.Timestamp) {
        const found = yield* fires.findCommand(schedule.project_id, input.source_evidence_id)
        if (Option.isNone(found)) return yield* new NotFound({ resource: "evidence" })
        const { action, id, payload, status, target_id } = found.value
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
        if (Option.isSome(tick)) yield* recordFire(schedule, input, { id, tick: tick.value }, now)
      }
    )

    /** A recorded fire that no command carries: it waits, was left behind, or waited when its database was backed up. */
    const resolveFire = Effect.fnUntraced(function*(schedule: Schedule, input: ResolveLegacyEvidence) {
      const found = yield* fires.findFire(schedule.id, input.fire_id)
      if (Option.isNone(found) || found.value.id !== input.source_evidence_id) {
        return yield* new NotFound({ resource: "evidence" })
      }
      const { command_id, status } = found.value
      if (command_id !== null) return yield* notResolvable("The fire has a command: use resolve-terminal-fire.")
      if (!resolvableStatuses.includes(status)) {
        return yield* notResolvable(`The fire is ${status}: its outcome is known.`)
      }
      yield* openFires.resolve(found.value, resolvedStatus(input.work_may_have_executed))
    })

    /** Decides about evidence of a fire that fencing does not prove. */
    const resolveLegacyEvidence = Effect.fn("ScheduleRecovery.resolveLegacyEvidence")(
      function*(id: ScheduleId, input: ResolveLegacyEvidence) {
        const locked = yield* writer.lock(id, "recover")
        const { now, schedule } = locked
        const { fire_id, source_evidence_id, source_evidence_kind } = input
        const evidence = { schedule_id: id, evidence_kind: source_evidence_kind, evidence_id: source_evidence_id }
        const known = yield* fires.findResolution(evidence)
        if (Option.isSome(known) && known.value.fire_id !== fire_id) {
          return yield* new NotFound({ resource: "evidence" })
        }
        const earlier = yield* findEarlierResult(known, input, schedule)
        if (earlier !== null) return { ...earlier, fire_id, source_evidence_id, source_evidence_kind }
        if (input.observed_control_token !== schedule.control_token) return yield* staleToken
        if (source_evidence_kind === "command") yield* resolveCommand(schedule, input, now)
        else yield* resolveFire(schedule, input)
        const result = yield* decide(locked, evidence, input, "schedule.evidence_resolved")
        return { ...result, fire_id, source_evidence_id, source_evidence_kind }
      },
      sql.withTransaction,
      orDieOnSql
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
      sql.withTransaction,
      orDieOnSql
    )

    return { resolveTerminalFire, resolveLegacyEvidence, legacyFireGrant } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([OpenFiresRepo.layer, FiresRepo.layer, ScheduleWriter.layer])
  )
}
