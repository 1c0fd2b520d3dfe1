import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { SearchablePathId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import {
  maxSearchablePaths,
  normalizePath,
  type SearchablePath,
  type SearchablePathCreate
} from "../../domain/tasks/SearchablePath.ts"
import { Audit } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { makeSearchablePathsRepo, type SearchablePathRow } from "./SearchablePaths/Repo.ts"

const tooMany = new Conflict({
  code: "too_many_searchable_paths",
  detail: `The project has ${maxSearchablePaths} searchable paths, which is the limit. Remove one first.`
})

const toPath = ({ filled_to, project_id: _, ...path }: SearchablePathRow): SearchablePath =>
  filled_to === null
    ? { ...path, status: "waiting", filled_to: null }
    : filled_to === Ids.minId
    ? { ...path, status: "ready", filled_to: null }
    : { ...path, status: "filling", filled_to: Timestamp.fromEpochMillis(Ids.millisOf(filled_to)) }

/** Places in arguments and results whose values a project has in an index (docs/api.md, Searchable paths). */
export class SearchablePaths extends Effect.Service<SearchablePaths>()("svc/SearchablePaths", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* makeSearchablePathsRepo
    const audit = yield* Audit

    /** By task name and path. */
    const list = Effect.fn("SearchablePaths.list")(function*() {
      return (yield* repo.list((yield* CurrentProject).id)).map(toPath)
    }, orDieOnSql)

    const record = (action: string, { id, path, project_id, task_name }: SearchablePathRow) =>
      audit.record({
        action,
        target_type: "searchable_path",
        target_id: id,
        project_id,
        metadata: { name: path, task_name }
      })

    /** The path that is there already, if it is. `SearchablePaths/Fill.ts` adds the values of stored tasks. */
    const create = Effect.fn("SearchablePaths.create")(function*({ path: given, task_name }: SearchablePathCreate) {
      const project = yield* CurrentProject
      const actor = yield* CurrentActor
      const path = normalizePath(given)
      yield* lockName(sql, `searchable paths ${project.id}`)
      const known = yield* repo.findPlace(project.id, task_name, path)
      if (Option.isSome(known)) return toPath(known.value)
      if ((yield* repo.count(project.id)) >= maxSearchablePaths) return yield* tooMany
      const row: SearchablePathRow = {
        id: yield* Ids.nextOf(SearchablePathId),
        project_id: project.id,
        task_name,
        path,
        filled_to: null,
        created_by: actor.kind === "person" ? actor.user_id : null,
        created_at: yield* Timestamp.now
      }
      yield* repo.insert(row)
      yield* record("searchable_path.created", row)
      return toPath(row)
    }, inTransaction(sql))

    /** Queries read the tasks themselves again from now on. */
    const remove = Effect.fn("SearchablePaths.remove")(function*(id: SearchablePathId) {
      const project = yield* CurrentProject
      const row = yield* Effect.flatMap(
        repo.findForUpdate(project.id, id),
        orFail(new NotFound({ resource: "searchable path" }))
      )
      yield* repo.remove(id, yield* Timestamp.now)
      yield* record("searchable_path.deleted", row)
    }, inTransaction(sql))

    return { list, create, remove } as const
  })
}) {
  static readonly layer = this.Default
}
