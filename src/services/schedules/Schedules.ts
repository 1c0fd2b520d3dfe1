import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ScheduleId } from "../../domain/kernel/Id.ts"
import { decodeCursor, encodeCursor } from "../../domain/kernel/Page.ts"
import { selectChanges } from "../../domain/kernel/Patch.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import {
  type CreateSchedule,
  isServiceOwned,
  type Schedule,
  type ScheduleCounts,
  SchedulePublic,
  type UpdateSchedule
} from "../../domain/schedules/Schedule.ts"
import {
  argumentIssues,
  digestDefinition,
  hasSameCadence,
  isDrifted,
  resolveScheduler
} from "../../domain/schedules/Schedule/Definition.ts"
import { breakerWindow, countConsecutiveFailures } from "../../domain/schedules/Schedule/Fire.ts"
import { dashboardSource } from "../../domain/schedules/Schedule/Import.ts"
import { makePreview } from "../../domain/schedules/Schedule/MakePreview.ts"
import { compileSchedule, cursorAfter, refusePast } from "../../domain/schedules/Schedule/Plan.ts"
import type { PreviewRequest } from "../../domain/schedules/Schedule/Preview.ts"
import { isAboutDefinition, noQuarantine } from "../../domain/schedules/Schedule/Recovery.ts"
import { listStale } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { Audit } from "../audit/Audit.ts"
import { Commands } from "../commands/Commands.ts"
import { EngineAgents } from "../commands/EngineAgents.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { nextTokens } from "./ControlToken.ts"
import { fireAction, makeFireIntent } from "./FireCommand.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { MisfiresRepo } from "./MisfiresRepo.ts"
import { makeSchedule } from "./NewSchedule.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { SchedulesRepo } from "./Repo.ts"
import { ScheduleWriter } from "./Writer.ts"

const listName = "schedules"

/** A schedule with what a reader adds to it. */
export interface CountedSchedule {
  readonly schedule: Schedule
  readonly counts: ScheduleCounts
}

/** In answers to a change: counting would read the fires of a schedule that has just changed. */
export const withoutCounts = (schedule: Schedule): CountedSchedule => ({
  schedule,
  counts: { consecutive_failures: null, skipped_slots_24h: null, is_drifted: isDrifted(schedule) }
})

export const nameTaken = (scheduler: string, name: string) =>
  new Conflict({
    code: "schedule_name_taken",
    detail: `The scheduler ${scheduler} has a schedule "${name}" in this project. Choose another name.`
  })

export const notFound = new NotFound({ resource: "schedule" })

/** The definition of an externally owned schedule is its owner's; the brain only shows it. */
export const externallyOwned = (schedule: Schedule, act: string) =>
  new Conflict({
    code: "schedule_externally_owned",
    detail: `${schedule.scheduler} owns and fires the schedule "${schedule.name}", so the brain cannot ${act} it. ${
      act === "update" ? "Change it through native-operations, if its scheduler takes changes." : "Disable it instead."
    }`
  })

/** The schedules of a project: what they are, and acts on them. `Schedules/` fires and watches them. */
export class Schedules extends Effect.Service<Schedules>()("svc/Schedules", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SchedulesRepo
    const fires = yield* FiresRepo
    const misfires = yield* MisfiresRepo
    const openFires = yield* OpenFiresRepo
    const writer = yield* ScheduleWriter
    const agents = yield* AgentsRepo
    const engineAgents = yield* EngineAgents
    const commands = yield* Commands
    const audit = yield* Audit
    const hints = yield* Hints
    const { commandTimeout, scheduleBreakerThreshold, scheduleCatchUpMax, scheduleGraceSeconds } = yield* Settings

    const countAll = Effect.fnUntraced(function*(schedules: ReadonlyArray<Schedule>) {
      const ids = schedules.map(({ id }) => id)
      const since = Timestamp.addSeconds(yield* Timestamp.now, -Timestamp.secondsPerDay)
      const statuses = Arr.groupBy(yield* fires.listStatuses(ids, breakerWindow), (row) => row.schedule_id)
      const missed = new Map((yield* misfires.count(ids, since)).map((row) => [row.schedule_id, row.n]))
      return schedules.map((schedule): CountedSchedule => ({
        schedule,
        counts: {
          consecutive_failures: countConsecutiveFailures((statuses[schedule.id] ?? []).map((row) => row.status)),
          skipped_slots_24h: missed.get(schedule.id) ?? 0,
          is_drifted: isDrifted(schedule)
        }
      }))
    })

    /** A page by name and id. */
    const list = Effect.fn("Schedules.list")(
      function*(query: { readonly cursor: string | null; readonly limit: number }) {
        const project = yield* CurrentProject
        const [name, id] = query.cursor === null ? [] : decodeCursor(listName, query.cursor, 2) ?? [""]
        const after = name === undefined || id === undefined ? null : { name, id }
        if (query.cursor !== null && (after === null || !Ids.isUuid(after.id))) {
          return yield* ValidationFailed.at("cursor", "is not a cursor of this list")
        }
        const rows = yield* repo.listPage(project.id, after, query.limit + 1)
        const page = rows.slice(0, query.limit)
        const last = page[page.length - 1]
        return {
          items: yield* countAll(page),
          next_cursor: rows.length > query.limit && last !== undefined
            ? encodeCursor(listName, [last.name, last.id])
            : null,
          circuit_breaker_threshold: scheduleBreakerThreshold
        }
      },
      orDieOnSql
    )

    const find = Effect.fnUntraced(function*(id: ScheduleId) {
      const project = yield* CurrentProject
      return yield* Option.match(yield* repo.find(project.id, id), {
        onNone: () => notFound,
        onSome: Effect.succeed
      })
    })

    /** Whether the service fires the schedule; else `ScheduleOperations` acts on it. */
    const isOwned = Effect.fn("Schedules.isOwned")(
      (id: ScheduleId) => Effect.map(find(id), isServiceOwned),
      orDieOnSql
    )

    const get = Effect.fn("Schedules.get")(function*(id: ScheduleId) {
      const schedule = yield* find(id)
      const [counted] = yield* countAll([schedule])
      return counted ?? withoutCounts(schedule)
    }, orDieOnSql)

    /** What a schedule of this cadence would do. Nothing is written. */
    const preview = Effect.fn("Schedules.preview")(function*(request: PreviewRequest) {
      return yield* makePreview(request, {
        now: yield* Timestamp.now,
        catchUpMax: scheduleCatchUpMax,
        graceSeconds: scheduleGraceSeconds
      })
    })

    const refuse = (issues: ValidationFailed["issues"]) =>
      issues.length > 0 ? new ValidationFailed({ issues }) : Effect.void

    const record = (action: string, { id, name, project_id }: Schedule, metadata: Record<string, unknown> = {}) =>
      audit.record({
        action,
        target_type: "schedule",
        target_id: id,
        project_id,
        metadata: { name, ...metadata }
      })

    const create = Effect.fn("Schedules.create")(
      function*(input: CreateSchedule) {
        const project = yield* CurrentProject
        const { issues, scheduler } = resolveScheduler(project, input.scheduler)
        yield* refuse([...argumentIssues(input), ...issues])
        const now = yield* Timestamp.now
        yield* refusePast(yield* compileSchedule({ ...input, anchor_at: now }), now)
        const imported_digest = input.source === dashboardSource ? null : digestDefinition(input)
        const created = yield* makeSchedule({ ...input, scheduler, imported_digest }, now)
        const schedule = { ...created, schedule_revision: yield* repo.takeRevisions(1) }
        yield* repo.insert(schedule).pipe(
          Effect.catchIf(isUniqueViolation, () => nameTaken(scheduler, schedule.name))
        )
        yield* hints.publish("schedules", project.id)
        yield* record("schedule.created", schedule)
        return withoutCounts(schedule)
      },
      sql.withTransaction,
      orDieOnSql
    )

    /** Changes a schedule in a transaction: `change` returns the changed fields, or null for a schedule that stays. */
    const makeAct = <A, E, R>(
      act: { readonly action: string; readonly verb: string },
      change: (
        schedule: Schedule,
        now: Timestamp.Timestamp,
        input: A
      ) => Effect.Effect<Partial<Schedule> | null, E, R>
    ) =>
      Effect.fn(`Schedules.${act.verb}`)(
        function*(id: ScheduleId, input: A) {
          const project = yield* CurrentProject
          const schedule_revision = yield* repo.takeRevisions(1)
          const schedule = yield* Option.match(yield* repo.lock(project.id, id), {
            onNone: () => notFound,
            onSome: Effect.succeed
          })
          if (!isServiceOwned(schedule)) return yield* externallyOwned(schedule, act.verb)
          const now = yield* Timestamp.now
          const changes = yield* change(schedule, now, input)
          if (changes === null) return withoutCounts(schedule)
          const merged = { ...schedule, ...changes }
          const changed: Schedule = { ...merged, ...(yield* nextTokens(merged)), schedule_revision, updated_at: now }
          const shown = yield* writer.write(schedule, changed)
          yield* hints.publish("schedules", project.id)
          yield* record(act.action, changed, { fields: Object.keys(changes) })
          return withoutCounts(shown)
        },
        sql.withTransaction,
        orDieOnSql
      )

    /** What an enabled schedule starts from: ticks until now are past, and failures until now do not count. */
    const enabledFrom = Effect.fnUntraced(function*(schedule: Schedule, now: Timestamp.Timestamp) {
      const cursor = cursorAfter(schedule, yield* compileSchedule(schedule), now)
      return { is_enabled: true, enabled_at: now, ...cursor } satisfies Partial<Schedule>
    })

    /**
     * Changes the given fields. A changed cadence, or enabling, begins with the next tick after now. So does a schedule in
     * quarantine for its definition: that it compiles here ends the quarantine.
     */
    const update = makeAct(
      { action: "schedule.updated", verb: "update" },
      Effect.fnUntraced(function*(schedule, now, input: UpdateSchedule) {
        yield* refuse(argumentIssues(input))
        const changes: Partial<Schedule> = selectChanges(
          { ...SchedulePublic.fields, args: SchedulePublic.fields.name, kwargs: SchedulePublic.fields.name },
          input
        )
        const changed = { ...schedule, ...changes }
        const hasNewCadence = !hasSameCadence(schedule, changed)
        const isEnabling = changed.is_enabled && !schedule.is_enabled
        const isSound = isAboutDefinition(schedule.quarantine_code)
        if (!hasNewCadence && !isEnabling && !isSound) return changes
        const cadence = yield* compileSchedule(changed)
        if (hasNewCadence) yield* refusePast(cadence, now)
        return {
          ...changes,
          ...(isSound && noQuarantine),
          ...cursorAfter(changed, cadence, now),
          ...(isEnabling && (yield* enabledFrom(changed, now)))
        }
      })
    )

    /** Ticks of the disabled time never fire (docs/schedules.md). */
    const enable = makeAct(
      { action: "schedule.enabled", verb: "enable" },
      (schedule, now, _: void) => schedule.is_enabled ? Effect.succeed(null) : enabledFrom(schedule, now)
    )

    const disable = makeAct(
      { action: "schedule.disabled", verb: "disable" },
      (schedule, _now, _: void) => Effect.succeed(schedule.is_enabled ? { is_enabled: false } : null)
    )

    /** Holds the schedule. `catch_up` decides about the ticks of that time when it is resumed (`Writer.ts`). */
    const pause = makeAct(
      { action: "schedule.paused", verb: "pause" },
      (schedule, now, _: void) => Effect.succeed(schedule.paused_at === null ? { paused_at: now } : null)
    )

    const resume = makeAct(
      { action: "schedule.resumed", verb: "resume" },
      (schedule, _now, _: void) => Effect.succeed(schedule.paused_at === null ? null : { paused_at: null })
    )

    const remove = Effect.fn("Schedules.remove")(
      function*(id: ScheduleId) {
        const project = yield* CurrentProject
        const revision = yield* repo.takeRevisions(1)
        const locked = yield* repo.lock(project.id, id)
        if (Option.isNone(locked)) return yield* notFound
        if (!isServiceOwned(locked.value)) return yield* externallyOwned(locked.value, "delete")
        yield* repo.delete(id)
        yield* openFires.endStale(listStale([{ before: locked.value, after: null }]))
        yield* repo.insertTombstones([
          { revision, project_id: project.id, schedule_id: id, deleted_at: yield* Timestamp.now }
        ])
        yield* hints.publish("schedules", project.id)
        yield* record("schedule.deleted", locked.value)
      },
      sql.withTransaction,
      orDieOnSql
    )

    /** An online agent that takes fires of the engine, else an agent that has served the engine. */
    const findAgent = Effect.fnUntraced(function*(engine: string) {
      const project = yield* CurrentProject
      const online = (yield* engineAgents.chooseIn(project.id, fireAction))(engine)
      if (online !== null) return online
      const offline = (yield* agents.list(project.id)).find(({ engine_adapters }) => engine_adapters.includes(engine))
      if (offline !== undefined) return offline.id
      return yield* new Conflict({
        code: "no_agent",
        detail: `No agent of the project serves ${engine}. Connect one, then trigger the schedule again.`
      })
    })

    /** Submits the task now, by a command. No fire is recorded, and `next_run_at` stays (interface, Schedules). */
    const trigger = Effect.fn("Schedules.trigger")(function*(id: ScheduleId) {
      const schedule = yield* find(id)
      if (!isServiceOwned(schedule)) return yield* externallyOwned(schedule, "trigger")
      const { engine, name, project_id } = schedule
      const command = yield* commands.issue({
        ...makeFireIntent(schedule, {
          agent_id: yield* findAgent(engine),
          fire_id: randomUUID(),
          scheduled_for: null,
          timeout_seconds: commandTimeout
        }),
        act: {
          action: "schedule.trigger_now",
          target_type: "schedule",
          target_id: id,
          project_id,
          metadata: { name }
        }
      })
      return { ...withoutCounts(schedule), command }
    }, orDieOnSql)

    /** The newest fires of a schedule. */
    const listFires = Effect.fn("Schedules.listFires")(function*(id: ScheduleId, limit: number) {
      yield* find(id)
      return yield* fires.listFires(id, limit)
    }, orDieOnSql)

    /** The newest fires of each schedule. Ids of other projects are left out. */
    const listRuns = Effect.fn("Schedules.listRuns")(function*(ids: ReadonlyArray<ScheduleId>, limit: number) {
      const project = yield* CurrentProject
      const owned = new Set((yield* repo.listOwned(project.id, ids)).map((row) => row.id))
      const known = [...new Set(ids)].filter((id) => owned.has(id))
      const runs = Arr.groupBy(yield* fires.listRuns(known, limit), (run) => run.schedule_id)
      return {
        items: known.map((schedule_id) => ({
          schedule_id,
          runs: (runs[schedule_id] ?? []).map(({ schedule_id: _, ...run }) => run)
        })),
        limit,
        circuit_breaker_threshold: scheduleBreakerThreshold
      }
    }, orDieOnSql)

    /** The newest misfires of a schedule, or of all in the project. */
    const listMisfires = Effect.fn("Schedules.listMisfires")(function*(id: ScheduleId | null, limit: number) {
      const project = yield* CurrentProject
      if (id !== null) yield* find(id)
      return yield* misfires.list(project.id, id, limit)
    }, orDieOnSql)

    return {
      list,
      get,
      isOwned,
      preview,
      create,
      update,
      remove,
      enable: (id: ScheduleId) => enable(id, undefined),
      disable: (id: ScheduleId) => disable(id, undefined),
      pause: (id: ScheduleId) => pause(id, undefined),
      resume: (id: ScheduleId) => resume(id, undefined),
      trigger,
      listFires,
      listRuns,
      listMisfires
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      AgentsRepo.layer,
      Commands.layer,
      EngineAgents.layer,
      FiresRepo.layer,
      MisfiresRepo.layer,
      OpenFiresRepo.layer,
      SchedulesRepo.layer,
      ScheduleWriter.layer
    ])
  )
}
