import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import {
  MaintenanceWindow,
  type MaintenanceWindowCreate,
  type MaintenanceWindowUpdate
} from "../../domain/alerting/Notification/MaintenanceWindow.ts"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { MaintenanceWindowId, type ProjectId } from "../../domain/kernel/Id.ts"
import { selectChanges } from "../../domain/kernel/Patch.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { AlertsRepo } from "./AlertsRepo.ts"
import { MaintenanceWindowsRepo } from "./MaintenanceWindowsRepo.ts"

/** Windows of a project that have not ended. The list has no pages. */
const maxWindows = 100

/** A forgotten window must not silence a project for ever. */
const maxSeconds = 30 * Timestamp.secondsPerDay

const windowNotFound = new NotFound({ resource: "maintenance window" })

const tooManyWindows = new Conflict({
  code: "too_many_maintenance_windows",
  detail: `The project has ${maxWindows} maintenance windows that have not ended, which is the limit. Delete one first.`
})

const checkTimes = ({ ends_at, starts_at }: MaintenanceWindowCreate) => {
  if (ends_at <= starts_at) return ValidationFailed.at("ends_at", "must be later than starts_at")
  return ends_at > Timestamp.addSeconds(starts_at, maxSeconds)
    ? ValidationFailed.at("ends_at", "must be at most 30 days after starts_at")
    : Effect.void
}

/** Times in which a project's alerts are recorded and no message is sent (docs/notifications.md). */
export class MaintenanceWindows extends Effect.Service<MaintenanceWindows>()("svc/MaintenanceWindows", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* MaintenanceWindowsRepo
    const alerts = yield* AlertsRepo
    const audit = yield* Audit

    const recordChange = (action: string, project_id: ProjectId, { ends_at, id, name, starts_at }: MaintenanceWindow) =>
      audit.record({
        action,
        target_type: "maintenance_window",
        target_id: id,
        project_id,
        metadata: { name, starts_at, ends_at }
      })

    /** Fails when the project may not have one more window that has not ended. */
    const checkRoom = Effect.fnUntraced(function*(projectId: ProjectId, now: Timestamp.Timestamp) {
      yield* lockName(sql, `maintenance windows ${projectId}`)
      if ((yield* repo.countOpen(projectId, now)) >= maxWindows) return yield* tooManyWindows
    })

    /** Those that have not ended, and the ended ones that are still kept; the latest start first. */
    const list = Effect.fn("MaintenanceWindows.list")(
      () => Effect.flatMap(CurrentProject, ({ id }) => repo.list(id)),
      orDieOnSql
    )

    const create = Effect.fn("MaintenanceWindows.create")(function*(input: MaintenanceWindowCreate) {
      const project = yield* CurrentProject
      const actor = yield* CurrentActor
      const now = yield* Timestamp.now
      yield* checkTimes(input)
      if (input.ends_at <= now) return yield* ValidationFailed.at("ends_at", "must be in the future")
      yield* checkRoom(project.id, now)
      const window: MaintenanceWindow = {
        id: yield* Ids.nextOf(MaintenanceWindowId),
        ...input,
        created_by: actor.kind === "person" ? actor.user_id : null,
        created_at: now
      }
      yield* repo.insert(project.id, window)
      yield* recordChange("maintenance_window.created", project.id, window)
      return window
    }, inTransaction(sql))

    const findForUpdate = (projectId: ProjectId, id: MaintenanceWindowId) =>
      Effect.flatMap(repo.findForUpdate(projectId, id), orFail(windowNotFound))

    const update = Effect.fn("MaintenanceWindows.update")(
      function*(id: MaintenanceWindowId, input: MaintenanceWindowUpdate) {
        const project = yield* CurrentProject
        const now = yield* Timestamp.now
        const window = yield* findForUpdate(project.id, id)
        const updated: MaintenanceWindow = { ...window, ...selectChanges(MaintenanceWindow.fields, input) }
        yield* checkTimes(updated)
        if (window.ends_at <= now && updated.ends_at > now) yield* checkRoom(project.id, now)
        yield* repo.update(updated)
        yield* alerts.wakeProject(project.id, now) // deferred messages may be due earlier now
        yield* recordChange("maintenance_window.updated", project.id, updated)
        return updated
      },
      inTransaction(sql)
    )

    const remove = Effect.fn("MaintenanceWindows.remove")(function*(id: MaintenanceWindowId) {
      const project = yield* CurrentProject
      const window = yield* findForUpdate(project.id, id)
      yield* repo.delete(id)
      yield* alerts.wakeProject(project.id, yield* Timestamp.now)
      yield* recordChange("maintenance_window.deleted", project.id, window)
    }, inTransaction(sql))

    return { list, create, update, remove } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([AlertsRepo.layer, MaintenanceWindowsRepo.layer]))
}
