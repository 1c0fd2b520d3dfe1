import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Conflict, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ScheduleId } from "../../domain/kernel/Id.ts"
import { selectChanges } from "../../domain/kernel/Patch.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import {
  type CreateSchedule,
  isServiceOwned,
  type Schedule,
  SchedulePublic,
  type UpdateSchedule
} from "../../domain/schedules/Schedule.ts"
import {
  argumentIssues,
  digestDefinition,
  hasSameCadence,
  resolveScheduler
} from "../../domain/schedules/Schedule/Definition.ts"
import { dashboardSource } from "../../domain/schedules/Schedule/Import.ts"
import { compileSchedule, cursorAfter, refusePast } from "../../domain/schedules/Schedule/Plan.ts"
import { isAboutDefinition, noQuarantine } from "../../domain/schedules/Schedule/Recovery.ts"
import { listStale } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { Audit } from "../audit/Audit.ts"
import { Commands } from "../commands/Commands.ts"
import { EngineAgents } from "../commands/EngineAgents.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { nextTokens } from "./ControlToken.ts"
import { fireAction, makeFireIntent } from "./FireCommand.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { MisfiresRepo } from "./MisfiresRepo.ts"
import { makeSchedule } from "./NewSchedule.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { externallyOwned, nameTaken } from "./Refusals.ts"
import { SchedulesRepo } from "./Repo.ts"
import { makeScheduleReads, withoutCounts } from "./ScheduleReads.ts"
import { ScheduleWriter } from "./Writer.ts"

/**
 * The schedules of a project: what they are (`ScheduleReads.ts`), and operations on them. One constructor: they share
 * how a locked schedule is changed and recorded. `FireLoop.ts` fires and watches them.
 */
export class Schedules extends Effect.Service<Schedules>()("svc/Schedules", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SchedulesRepo
    const { find, ...reads } = yield* makeScheduleReads
    const openFires = yield* OpenFiresRepo
    const writer = yield* ScheduleWriter
    const agents = yield* AgentsRepo
    const engineAgents = yield* EngineAgents
    const commands = yield* Commands
    const audit = yield* Audit
    const hints = yield* Hints
    const { commandTimeout } = yield* Settings

    /** Whether the service fires the schedule; else `ScheduleOperations` controls it. */
    const isOwned = Effect.fn("Schedules.isOwned")(
      (id: ScheduleId) => Effect.map(find(id), isServiceOwned),
      orDieOnSql
    )

    const refuse = (issues: ValidationFailed["issues"]) =>
      issues.length > 0 ? new ValidationFailed({ issues }) : Effect.void

    const record = (action: string, { id, name, project_id }: Schedule) =>
      audit.record({ action, target_type: "schedule", target_id: id, project_id, metadata: { name } })

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
    const makeOperation = <A, E, R>(
      { action, verb }: { readonly action: string; readonly verb: string },
      change: (
        schedule: Schedule,
        now: Timestamp.Timestamp,
        input: A
      ) => Effect.Effect<Partial<Schedule> | null, E, R>
    ) =>
      Effect.fn(`Schedules.${verb}`)(
        function*(id: ScheduleId, input: A) {
          const { now, schedule, schedule_revision } = yield* writer.lock(id, verb)
          const changes = yield* change(schedule, now, input)
          if (changes === null) return withoutCounts(schedule)
          const merged = { ...schedule, ...changes }
          const changed: Schedule = { ...merged, ...(yield* nextTokens(merged)), schedule_revision, updated_at: now }
          const shown = yield* writer.write(schedule, changed, action, { fields: Object.keys(changes) })
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
    const update = makeOperation(
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
    const enable = makeOperation(
      { action: "schedule.enabled", verb: "enable" },
      (schedule, now, _: void) => schedule.is_enabled ? Effect.succeed(null) : enabledFrom(schedule, now)
    )

    const disable = makeOperation(
      { action: "schedule.disabled", verb: "disable" },
      (schedule, _now, _: void) => Effect.succeed(schedule.is_enabled ? { is_enabled: false } : null)
    )

    /** Pauses the schedule. `catch_up` decides about the ticks of that time when it is resumed (`Writer.ts`). */
    const pause = makeOperation(
      { action: "schedule.paused", verb: "pause" },
      (schedule, now, _: void) => Effect.succeed(schedule.paused_at === null ? { paused_at: now } : null)
    )

    const resume = makeOperation(
      { action: "schedule.resumed", verb: "resume" },
      (schedule, _now, _: void) => Effect.succeed(schedule.paused_at === null ? null : { paused_at: null })
    )

    const remove = Effect.fn("Schedules.remove")(
      function*(id: ScheduleId) {
        const { now, schedule, schedule_revision } = yield* writer.lock(id, "delete")
        const { project_id } = schedule
        yield* repo.delete(id)
        yield* openFires.endStale(listStale([{ before: schedule, after: null }]))
        yield* repo.insertTombstones([
          { revision: schedule_revision, project_id, schedule_id: id, deleted_at: now }
        ])
        yield* hints.publish("schedules", project_id)
        yield* record("schedule.deleted", schedule)
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
        cause: {
          action: "schedule.trigger_now",
          target_type: "schedule",
          target_id: id,
          project_id,
          metadata: { name }
        }
      })
      return { ...withoutCounts(schedule), command }
    }, orDieOnSql)

    return {
      ...reads,
      isOwned,
      create,
      update,
      remove,
      enable: (id: ScheduleId) => enable(id, undefined),
      disable: (id: ScheduleId) => disable(id, undefined),
      pause: (id: ScheduleId) => pause(id, undefined),
      resume: (id: ScheduleId) => resume(id, undefined),
      trigger
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
