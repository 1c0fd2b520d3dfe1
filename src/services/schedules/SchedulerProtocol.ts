import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { CommandId, ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { isServiceOwned, type Schedule } from "../../domain/schedules/Schedule.ts"
import { fireIdOf } from "../../domain/schedules/Schedule/FireId.ts"
import {
  type AdvanceRequest,
  alreadyFired,
  checkRequest,
  type FireRequest,
  isRepeatedAdvance,
  isRepeatedFire,
  planReported,
  type Refusal,
  unknownSchedule,
  wrongFireId
} from "../../domain/schedules/Schedule/SchedulerRequest.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, orDieOnSql } from "../kernel/sql/Database.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { FireWriter } from "./FireWriter.ts"
import { ScheduleQuarantine } from "./Quarantine.ts"
import { SchedulesRepo } from "./Repo.ts"
import { makeSchedulerReads } from "./SchedulerReads.ts"

export interface QuarantineRequest {
  readonly project_id: ProjectId
  readonly schedule_id: ScheduleId
  readonly control_token: string
  readonly code: string
  readonly detail: string
}

export interface FireResult {
  readonly refusal: Refusal | null
  /** The schedule as it is now; null: it does not exist. */
  readonly live: Schedule | null
  /** The newest revision of all schedules. */
  readonly revision: number
  /** Null: the fire waits for an agent, or there is none. */
  readonly command_id: CommandId | null
}

export interface AdvanceResult {
  readonly refusal: Refusal | null
  readonly live: Schedule | null
  /** The cursor had been moved so before. */
  readonly isRepeated: boolean
}

export type QuarantineOutcome = "applied" | "already_applied" | "stale_control" | "not_found"

/**
 * The requests of scheduler programs (the agents' protocol, section 7): to read and watch schedules
 * (`SchedulerReads.ts`), and to fire them. A request changes a schedule only while its token, definition, revision and
 * cursor are those that the program saw, so two programs, or a program beside the brain's own loop, fire a tick once.
 */
export class SchedulerProtocol extends Effect.Service<SchedulerProtocol>()("svc/SchedulerProtocol", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* makeSchedulerReads
    const repo = yield* SchedulesRepo
    const firesRepo = yield* FiresRepo
    const fires = yield* FireWriter
    const quarantines = yield* ScheduleQuarantine
    const hints = yield* Hints
    const { scheduleGraceSeconds } = yield* Settings

    /** Runs `change` on the locked schedule with the next revision, in a transaction; `missing` if there is none. */
    const withLocked = <A, E, R>(
      { id, project_id }: Pick<Schedule, "id" | "project_id">,
      missing: (revision: number) => A,
      change: (schedule: Schedule, revision: number) => Effect.Effect<A, E, R>
    ) =>
      sql.withTransaction(Effect.gen(function*() {
        const revision = yield* repo.takeRevisions(1)
        const locked = yield* repo.lock(project_id, id)
        return Option.isNone(locked) ? missing(revision) : yield* change(locked.value, revision)
      }))

    const readLive = ({ id, project_id }: Schedule) => Effect.map(repo.lock(project_id, id), Option.getOrNull)

    /** Fires a tick: its fire, command and cursor are written as by the brain's own loop (`Fires.ts`). */
    const fire = Effect.fn("SchedulerProtocol.fire")(function*(request: FireRequest) {
      const { fire_id, prepared_next_run_at, schedule_id, scheduled_for } = request
      const missing = (revision: number): FireResult => ({
        refusal: unknownSchedule,
        live: null,
        revision,
        command_id: null
      })
      const found = yield* repo.findById(schedule_id)
      if (Option.isNone(found)) return missing((yield* repo.progress).revision)
      const choose = yield* fires.makeChooser([found.value.project_id])
      return yield* withLocked(
        found.value,
        missing,
        Effect.fnUntraced(function*(live, revision) {
          const refuse = (refusal: Refusal): FireResult => ({ refusal, live, revision, command_id: null })
          // first: any text may be sent as the id, and the column is a UUID on PostgreSQL
          if (fire_id !== fireIdOf(schedule_id, scheduled_for)) return refuse(wrongFireId)
          const now = yield* Timestamp.now
          const known = yield* firesRepo.findFireAt(fire_id, scheduled_for)
          if (Option.isSome(known)) {
            // a repeated request finds the fire of the first one, and gets its command
            const { command_id } = known.value
            return { refusal: isRepeatedFire(request, live) ? null : alreadyFired, live, revision, command_id }
          }
          const refusal = checkRequest(request, live, scheduled_for, now)
          if (refusal !== null) return refuse(refusal)
          const isLate = scheduled_for < Timestamp.addSeconds(now, -(live.grace_seconds ?? scheduleGraceSeconds))
          const lastMissed = isLate ? scheduled_for : Timestamp.addSeconds(scheduled_for, -0.000_001)
          const plan = planReported(live, [scheduled_for], lastMissed, prepared_next_run_at, now)
          const [written] = yield* fires.writePlans([{ schedule: live, plan }], {
            choose,
            nextRevision: () => revision,
            fence: 0,
            now
          })
          yield* hints.publish("schedules", live.project_id)
          return { refusal: null, live: yield* readLive(live), revision, command_id: written?.command_id ?? null }
        })
      )
    }, orDieOnSql)

    /** Moves the cursor past ticks that the scheduler does not fire, which the brain records as misfires. */
    const advance = Effect.fn("SchedulerProtocol.advance")(function*(request: AdvanceRequest) {
      const { prepared_next_run_at, project_id, schedule_id, skipped_through } = request
      return yield* withLocked(
        { id: schedule_id, project_id },
        (): AdvanceResult => ({ refusal: unknownSchedule, live: null, isRepeated: false }),
        Effect.fnUntraced(function*(live, revision) {
          const now = yield* Timestamp.now
          if (isRepeatedAdvance(request, live)) return { refusal: null, live, isRepeated: true }
          const refusal = checkRequest(request, live, skipped_through, now)
          if (refusal !== null) return { refusal, live, isRepeated: false }
          const plan = planReported(live, [], skipped_through, prepared_next_run_at, now)
          // A schedule without a next tick is shown as disabled. The scheduler learns that by another revision than its
          // own change, since it refuses a revision that it knows with other contents.
          const newRevision = prepared_next_run_at === null ? yield* repo.takeRevisions(1) : revision
          yield* fires.writePlans([{ schedule: live, plan }], {
            choose: () => null,
            nextRevision: () => newRevision,
            fence: 0,
            now
          })
          yield* hints.publish("schedules", project_id)
          const moved = yield* readLive(live)
          return {
            refusal: null,
            live: moved === null ? null : { ...moved, schedule_revision: revision },
            isRepeated: false
          }
        })
      )
    }, orDieOnSql)

    /** Puts a schedule whose definition the scheduler cannot evaluate into quarantine. */
    const quarantine = Effect.fn("SchedulerProtocol.quarantine")(function*(request: QuarantineRequest) {
      const { code, control_token, detail, project_id, schedule_id } = request
      const makeResult = (outcome: QuarantineOutcome, revision: number) => ({ outcome, revision })
      return yield* withLocked(
        { id: schedule_id, project_id },
        (revision) => makeResult("not_found", revision),
        Effect.fnUntraced(function*(live, schedule_revision) {
          if (live.quarantined_at !== null) return makeResult("already_applied", schedule_revision)
          if (live.control_token !== control_token || !isServiceOwned(live)) {
            return makeResult("stale_control", schedule_revision)
          }
          yield* quarantines.begin([{ schedule: live, code, detail, schedule_revision }])
          return makeResult("applied", schedule_revision)
        })
      )
    }, orDieOnSql)

    return { ...reads, fire, advance, quarantine } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      FiresRepo.layer,
      FireWriter.layer,
      ScheduleQuarantine.layer,
      SchedulesRepo.layer
    ])
  )
}
