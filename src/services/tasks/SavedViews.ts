import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { type ProjectId, SavedViewId, type UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { SavedView, SavedViewWrite } from "../../domain/tasks/SavedView.ts"
import { Audit } from "../audit/Audit.ts"
import { currentPerson, CurrentProject, requireRole } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { inTransaction, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { type SavedViewRow, SavedViewsRepo } from "./SavedViews/Repo.ts"

/** Views that one user may own in a project. The list has no pages. */
const maxOwnViews = 100

/** Views that a project may share. */
const maxSharedViews = 500

const nameTaken = new Conflict({
  code: "saved_view_name_taken",
  detail: "You have a view with this name in the project. Choose another name, or change that view."
})

const tooManyOwn = new Conflict({
  code: "too_many_saved_views",
  detail: `You have ${maxOwnViews} views in this project, which is the limit. Delete one first.`
})

const tooManyShared = new Conflict({
  code: "too_many_saved_views",
  detail: `The project shares ${maxSharedViews} views, which is the limit. Delete one first, or keep this one personal.`
})

const toSavedView = (row: SavedViewRow, userId: UserId): SavedView => ({ ...row, is_own: row.owner_id === userId })

/**
 * Named filters of the task list: personal ones, which only their owner sees, and shared ones, which all members of the
 * project see. Operators share views; a shared view is changed and deleted by its owner or an admin of the project.
 */
export class SavedViews extends Effect.Service<SavedViews>()("svc/SavedViews", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SavedViewsRepo
    const audit = yield* Audit

    /** The caller's own views and the shared ones, by name. */
    const list = Effect.fn("SavedViews.list")(function*() {
      const { id } = yield* CurrentProject
      const { user_id } = yield* currentPerson
      return (yield* repo.list(id, user_id)).map((row) => toSavedView(row, user_id))
    }, orDieOnSql)

    /** Fails unless the caller may share one more view with the project. */
    const checkSharing = Effect.fnUntraced(function*(projectId: ProjectId) {
      yield* requireRole(projectId, "operator")
      yield* lockName(sql, `shared views ${projectId}`)
      if ((yield* repo.countShared(projectId)) >= maxSharedViews) return yield* tooManyShared
    })

    const recordChange = (action: string, projectId: ProjectId, { id, is_shared, name }: SavedViewRow) =>
      audit.record({
        action,
        target_type: "saved_view",
        target_id: id,
        project_id: projectId,
        metadata: { name, is_shared }
      })

    const create = Effect.fn("SavedViews.create")(function*({ filters, is_shared = false, name }: SavedViewWrite) {
      const project = yield* CurrentProject
      const { user_id } = yield* currentPerson
      if (is_shared) yield* checkSharing(project.id)
      yield* lockName(sql, `views ${project.id} ${user_id}`)
      if ((yield* repo.countOwn(project.id, user_id)) >= maxOwnViews) return yield* tooManyOwn
      const now = yield* Timestamp.now
      const view: SavedViewRow = {
        id: yield* Ids.nextOf(SavedViewId),
        owner_id: user_id,
        name,
        filters,
        is_shared,
        created_at: now,
        updated_at: now
      }
      yield* repo.insert(project.id, view).pipe(Effect.catchIf(isUniqueViolation, () => nameTaken))
      yield* recordChange("saved_view.created", project.id, view)
      return toSavedView(view, user_id)
    }, inTransaction(sql))

    /** A view that the caller may change or delete: their own, or a shared one of an admin's project. */
    const findToChange = Effect.fnUntraced(function*(projectId: ProjectId, userId: UserId, id: SavedViewId) {
      const view = yield* Effect.flatMap(
        repo.findForUpdate(projectId, userId, id),
        orFail(new NotFound({ resource: "saved view" }))
      )
      if (view.owner_id !== userId) yield* requireRole(projectId, "admin")
      return view
    })

    /** Replaces name and filters; shares the view, or makes it personal again. */
    const update = Effect.fn("SavedViews.update")(
      function*(id: SavedViewId, { filters, is_shared, name }: SavedViewWrite) {
        const project = yield* CurrentProject
        const { user_id } = yield* currentPerson
        const view = yield* findToChange(project.id, user_id, id)
        const willBeShared = is_shared ?? view.is_shared
        const updated: SavedViewRow = {
          ...view,
          // the owner was deleted: a personal view without an owner would be seen by none
          owner_id: willBeShared ? view.owner_id : view.owner_id ?? user_id,
          name,
          filters,
          is_shared: willBeShared,
          updated_at: yield* Timestamp.now
        }
        if (updated.is_shared) yield* view.is_shared ? requireRole(project.id, "operator") : checkSharing(project.id)
        yield* repo.update(updated).pipe(Effect.catchIf(isUniqueViolation, () => nameTaken))
        yield* recordChange("saved_view.updated", project.id, updated)
        return toSavedView(updated, user_id)
      },
      inTransaction(sql)
    )

    const remove = Effect.fn("SavedViews.remove")(function*(id: SavedViewId) {
      const project = yield* CurrentProject
      const { user_id } = yield* currentPerson
      const view = yield* findToChange(project.id, user_id, id)
      yield* repo.delete(id)
      yield* recordChange("saved_view.deleted", project.id, view)
    }, inTransaction(sql))

    return { list, create, update, remove } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(SavedViewsRepo.layer))
}
