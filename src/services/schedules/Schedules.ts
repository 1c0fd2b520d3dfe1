import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
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
import { enableFrom, followChange } from "../../domain/schedules/Schedule/Change.ts"
import {
  argumentIssues,
  digestDefinition,
  hasSameCadence,
  resolveScheduler
} from "../../domain/schedules/Schedule/Definition.ts"
import { dashboardSource } from "../../domain/schedules/Schedule/Import.ts"
import { compileSchedule, refusePast } from "../../domain/schedules/Schedule/Plan.ts"
import { listStale } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { WorkersRepo } from "../agents/Workers/Repo.ts"
import { Audit } from "../audit/Audit.ts"
import { Commands } from "../commands/Commands.ts"
import { EngineAgents } from "../commands/EngineAgents.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Hints, inTransaction, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { nextTokens } from "./ControlToken.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { makeManualFires } from "./ManualFires.ts"
import { MisfiresRepo } from "./MisfiresRepo.ts"
import { makeSchedule } from "./NewSchedule.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { externallyOwned, nameTaken } from "./Refusals.ts"
import { SchedulesRepo } from "./Repo.ts"
import { makeScheduleReads, withoutCounts } from "./ScheduleReads.ts"
import { ScheduleWriter } from "./Writer.ts"

/**
 * The schedules of a project: what they are (`ScheduleReads.ts`), and operations on them. `FireLoop.ts` fires and watches
 * them. Long: short methods, of which all but `create` and `trigger` change a locked schedule.
 */
export class Schedules extends Effect.Service<Schedules>()("svc/Schedules", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SchedulesRepo
    const { find, ...reads } = yield* makeScheduleReads
    const openFires = yield* OpenFiresRepo
    const writer = yield* ScheduleWriter
    const fireNow = yield* makeManualFires
    const audit = yield* Audit
    const hints = yield* Hints

    /** Whether the service fires the schedule; else `ScheduleOperations` controls it. */
    const isOwned = Effect.fn("Schedules.isOwned")(
      (id: ScheduleId) => Effect.map(find(id), isServiceOwned),
      orDieOnSql
    )

    const refuse = (issues: ValidationFailed["issues"]) =>
      issues.length > 0 ? new ValidationFailed({ issues }) : Effect.void

    const record = (action: string, { id, name, project_id }: Schedule) =>
      audit.record({ action, target_type: "schedule", target_id: id, project_id, metadata: { name } })

    const create = Effect.fn("Schedules.create")(function*(input: CreateSchedule) {
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
    }, inTransaction(sql))

    /** Changes a schedule in a transaction: `change` returns the changed fields, or null for a schedule that stays. */
    const makeOperation = <A, E, R>(
      { action, verb }: { readonly action: string; readonly verb: string },
      change: (
        schedule: Schedule,
        now: Timestamp.Timestamp,
        input: A
      ) => Effect.Effect<Partial<Schedule> | null, E, R>
    ) =>
      Effect.fn(`Schedules.${verb}`)(function*(id: ScheduleId, input: A) {
        const { now, schedule, schedule_revision } = yield* writer.lock(id, verb)
        const changes = yield* change(schedule, now, input)
        if (changes === null) return withoutCounts(schedule)
        const merged = { ...schedule, ...changes }
        const changed: Schedule = { ...merged, ...(yield* nextTokens(merged)), schedule_revision, updated_at: now }
        const shown = yield* writer.write(schedule, changed, action, { fields: Object.keys(changes) })
        return withoutCounts(shown)
      }, inTransaction(sql))

    const update = makeOperation(
      { action: "schedule.updated", verb: "update" },
      Effect.fnUntraced(function*(schedule, now, input: UpdateSchedule) {
        yield* refuse(argumentIssues(input))
        const changes: Partial<Schedule> = selectChanges(
          { ...SchedulePublic.fields, args: SchedulePublic.fields.name, kwargs: SchedulePublic.fields.name },
          input
        )
        const changed = { ...schedule, ...changes }
        const following = yield* followChange(schedule, changed, now)
        if (!hasSameCadence(schedule, changed)) yield* refusePast(yield* compileSchedule(changed), now)
        return { ...changes, ...following }
      })
    )

    /** Ticks of the disabled time never fire (docs/schedules.md). */
    const enable = makeOperation(
      { action: "schedule.enabled", verb: "enable" },
      (schedule, now, _: void) => schedule.is_enabled ? Effect.succeed(null) : enableFrom(schedule, now)
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

    const remove = Effect.fn("Schedules.remove")(function*(id: ScheduleId) {
      const { now, schedule, schedule_revision } = yield* writer.lock(id, "delete")
      const { project_id } = schedule
      yield* repo.delete(id)
      yield* openFires.endStale(listStale([{ before: schedule, after: null }]))
      yield* repo.insertTombstones([
        { revision: schedule_revision, project_id, schedule_id: id, deleted_at: now }
      ])
      yield* hints.publish("schedules", project_id)
      yield* record("schedule.deleted", schedule)
    }, inTransaction(sql))

    const trigger = Effect.fn("Schedules.trigger")(function*(id: ScheduleId) {
      const schedule = yield* find(id)
      if (!isServiceOwned(schedule)) return yield* externallyOwned(schedule, "trigger")
      return { ...withoutCounts(schedule), command: yield* fireNow(schedule) }
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
      ScheduleWriter.layer,
      WorkersRepo.layer
    ])
  )
}
