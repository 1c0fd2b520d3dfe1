import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { CommandId, ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { isServiceOwned, type Schedule } from "../../domain/schedules/Schedule.ts"
import { fireIdOf } from "../../domain/schedules/Schedule/FireId.ts"
import {
  type AdvanceRequest,
  checkObservation,
  checkTicks,
  type FireRequest,
  planReported,
  type Refusal,
  refusalOf,
  unknownSchedule,
  wrongFireId
} from "../../domain/schedules/Schedule/SchedulerRequest.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, orDieOnSql } from "../kernel/sql/Database.ts"
import { ScheduleFires } from "./Fires.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { ScheduleQuarantine } from "./Quarantine.ts"
import { SchedulesRepo, type Scope } from "./Repo.ts"

/** Schedules that are read at once: decoding one takes about 40 µs of the event loop. */
const pageSize = 200

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
 * The requests of scheduler programs (the agents' protocol, section 7): to read and watch schedules, and to fire
 * them. A request changes a schedule only while its token, definition, revision and cursor are those that the program
 * saw, so two programs, or a program beside the brain's own loop, fire a tick once. One constructor: its requests share
 * the lock and the revision of a change.
 */
export class SchedulerProtocol extends Effect.Service<SchedulerProtocol>()("svc/SchedulerProtocol", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SchedulesRepo
    const firesRepo = yield* FiresRepo
    const fires = yield* ScheduleFires
    const quarantines = yield* ScheduleQuarantine
    const hints = yield* Hints
    const { scheduleGraceSeconds } = yield* Settings

    /** All schedules of the scope by id, and the revision that they are complete for. */
    const readSnapshot = Effect.fn("SchedulerProtocol.readSnapshot")(function*(scope: Scope) {
      const { revision: before } = yield* repo.progress
      const schedules = new Map<ScheduleId, Schedule>()
      let after: ScheduleId | null = null
      while (true) {
        const page: ReadonlyArray<Schedule> = yield* repo.listWatched(scope, after, pageSize)
        for (const schedule of page) schedules.set(schedule.id, schedule)
        after = page.at(-1)?.id ?? null
        if (page.length < pageSize) break
        yield* yieldToEventLoop
      }
      // the pages are of different moments: what changed since the first one is read again
      const { revision } = yield* repo.progress
      let seen = before
      while (seen < revision) {
        const batch = yield* repo.listChanges(scope, seen, revision, pageSize)
        for (const change of batch) {
          if ("schedule" in change) schedules.set(change.schedule.id, change.schedule)
          else schedules.delete(change.deleted_id)
        }
        yield* yieldToEventLoop
        seen = batch.length < pageSize ? revision : batch.at(-1)?.revision ?? revision
      }
      return { revision, schedules: [...schedules.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
    }, orDieOnSql)

    /** The changes after a revision, and the revision until which they are complete. */
    const readChanges = Effect.fn("SchedulerProtocol.readChanges")(function*(scope: Scope, after: number) {
      const { horizon, revision } = yield* repo.progress
      if (after < horizon || after > revision) return { isComplete: false as const, revision }
      const batch = after === revision ? [] : yield* repo.listChanges(scope, after, revision, pageSize)
      const through = batch.length < pageSize ? revision : batch.at(-1)?.revision ?? revision
      return { isComplete: true as const, changes: batch, through, revision }
    }, orDieOnSql)

    /** The schedule, if the project has it, and a revision that this is true for. */
    const readState = Effect.fn("SchedulerProtocol.readState")(function*(projectId: ProjectId, id: ScheduleId) {
      const { revision } = yield* repo.progress // first: a later change has a higher revision
      const schedule = Option.filter(yield* repo.find(projectId, id), isServiceOwned)
      const ownRevision = Option.match(schedule, { onNone: () => 0, onSome: (found) => found.schedule_revision ?? 0 })
      return { schedule: Option.getOrNull(schedule), revision: Math.max(revision, ownRevision) }
    }, orDieOnSql)

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

    const readLive = ({ id, project_id }: Schedule) =>
      Effect.map(repo.lock(project_id, id), (found) => Option.getOrNull(found))

    /** A repeated request finds the fire of the first one, and gets its command. */
    const repeatResult = (
      request: FireRequest,
      live: Schedule,
      revision: number,
      command_id: CommandId | null
    ): FireResult => {
      const isUnmoved = live.last_run_at === request.scheduled_for &&
        live.next_run_at === request.prepared_next_run_at && (live.schedule_revision ?? 0) > request.schedule_revision
      const refusal = isUnmoved
        ? null
        : refusalOf("resolved", "already_fired", "The tick has fired, and the cursor has moved. Read it again.")
      return { refusal, live, revision, command_id }
    }

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
          if (Option.isSome(known)) return repeatResult(request, live, revision, known.value.command_id)
          const refusal = checkObservation(request, live) ??
            checkTicks(request, live, scheduled_for, prepared_next_run_at, now)
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
          const isRepeated = prepared_next_run_at !== null && live.control_token === request.control_token &&
            (live.schedule_revision ?? 0) > request.schedule_revision && live.last_run_at === request.last_run_at &&
            live.next_run_at === prepared_next_run_at
          if (isRepeated) return { refusal: null, live, isRepeated }
          const refusal = checkObservation(request, live) ??
            checkTicks(request, live, skipped_through, prepared_next_run_at, now)
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

    return { readSnapshot, readChanges, readState, fire, advance, quarantine } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      FiresRepo.layer,
      ScheduleFires.layer,
      ScheduleQuarantine.layer,
      SchedulesRepo.layer
    ])
  )
}
