import { Effect, Layer } from "effect"
import {
  type ActivityItem,
  type ActivityList,
  encodeCursor,
  type ListActivity,
  type ListAudit
} from "../domain/Activity.ts"
import type { Actor } from "../domain/Actor.ts"
import { ValidationFailed } from "../domain/Errors.ts"
import * as Page from "../domain/Page.ts"
import type { ExportFormat } from "../domain/Task/Filter.ts"
import { AuditExport } from "./Audit/Export.ts"
import { AuditRows } from "./Audit/Rows.ts"
import { type AuditFilter, AuditSearch, itemOf } from "./Audit/Search.ts"
import { CurrentActor, CurrentProject } from "./CurrentActor.ts"
import { orDieOnSql } from "./Database.ts"
import { Xlsx } from "./Export/Xlsx.ts"
import { Projects } from "./Projects.ts"
import { Settings } from "./Settings.ts"

const defaultLimit = 50

/** Rows of a page of the feed. */
const defaultFeed = 50

/** The audit log for its readers: the activity feed of everybody, and the log of one project for its admins. */
export class Activity extends Effect.Service<Activity>()("svc/Activity", {
  effect: Effect.gen(function*() {
    const rows = yield* AuditRows
    const search = yield* AuditSearch
    const files = yield* AuditExport
    const projects = yield* Projects
    const settings = yield* Settings

    /** The projects whose rows the caller may see, null for the whole log. */
    const visible = Effect.fnUntraced(function*(slug: string | undefined) {
      const actor = yield* CurrentActor
      if (slug === undefined) return projectsOf(actor)
      return yield* projects.find(slug).pipe(
        Effect.map((project): ReadonlyArray<string> => [project.id]),
        Effect.catchTag("NotFound", () => Effect.succeed<ReadonlyArray<string>>([]))
      )
    })

    /**
     * A page of the feed, newest first (interface, Activity feed). With `since_cursor` alone it has the oldest rows after
     * it, so that whoever goes on from `newest_cursor` misses none; else the newest ones, before `before_cursor` if given.
     */
    const feed = Effect.fn("Activity.feed")(function*(query: ListActivity) {
      const actor = yield* CurrentActor
      const { limit = defaultFeed } = query
      const since = query.since_cursor
      const before = query.before_cursor
      const from = since !== undefined && before === undefined ? "oldest" : "newest"
      const after = since === undefined ? null : (yield* rows.placeOf(since)).seq
      const end = before === undefined ? null : yield* rows.placeOf(before)
      const ranges = yield* search.rangesOf(yield* visible(query.project_slug), query.action_prefix ?? "", null)
      const found = yield* rows.rows(ranges, {
        from,
        after,
        before: end === null ? null : end.exact ? end.seq : end.seq + 1,
        limit: limit + 1
      })
      const shown = found.slice(0, limit)
      const newestFirst = from === "newest" ? shown : shown.toReversed()
      const [newest] = newestFirst
      const oldest = newestFirst.at(-1)
      const more = from === "newest" && found.length > limit && oldest !== undefined
      return {
        items: newestFirst.map(itemOf(actor)),
        next_before_cursor: more ? encodeCursor(oldest) : null,
        newest_cursor: newest !== undefined ? encodeCursor(newest) : since !== undefined ? encodeCursor(since) : null
      } satisfies ActivityList
    }, orDieOnSql)

    const filterOf = Effect.fnUntraced(function*(query: ListAudit) {
      const { id } = yield* CurrentProject
      return {
        project_id: id,
        action_prefix: query.action_prefix ?? "",
        user_id: query.user_id ?? null,
        outcome: query.outcome ?? null,
        after: query.since === undefined ? null : yield* rows.lastBefore(query.since)
      } satisfies AuditFilter
    })

    /** A page of the project's rows, newest first. */
    const list = Effect.fn("Activity.list")(function*(query: ListAudit) {
      const actor = yield* CurrentActor
      const before = query.cursor === undefined ? null : yield* beforeOf(query.cursor)
      const limit = Math.min(query.limit ?? defaultLimit, settings.restMaxPageSize)
      const found = yield* search.newest(yield* filterOf(query), before, limit + 1)
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      return {
        items: shown.map(itemOf(actor)),
        next_cursor: found.length > limit && last !== undefined ? Page.encodeCursor("audit", [String(last.seq)]) : null
      } satisfies Page.PageOf<ActivityItem>
    }, orDieOnSql)

    /** A file of the project's rows, newest first; `cursor` and `limit` do not count. */
    const exportAs = Effect.fn("Activity.exportAs")(function*(query: ListAudit, format: ExportFormat) {
      const actor = yield* CurrentActor
      return yield* files.file(search.all(yield* filterOf(query)), itemOf(actor), format, query.fields ?? null)
    }, orDieOnSql)

    return { feed, list, exportAs } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide(Layer.mergeAll(AuditExport.layer, AuditSearch.layer)),
    Layer.provide(Layer.mergeAll(AuditRows.layer, Xlsx.layer))
  )
}

/** A bound API key sees its own project only, whoever owns it; null: everything. */
const projectsOf = (actor: Actor): ReadonlyArray<string> | null => {
  if (actor.kind === "system") return null
  const bound = actor.via.kind === "api_key" ? actor.via.project_id : null
  if (bound === null) return actor.is_admin ? null : [...actor.roles.keys()]
  return actor.is_admin || actor.roles.has(bound) ? [bound] : []
}

const beforeOf = (cursor: string): Effect.Effect<number, ValidationFailed> => {
  const [seq] = Page.decodeCursor("audit", cursor, 1) ?? []
  return seq !== undefined && /^\d{1,15}$/.test(seq)
    ? Effect.succeed(Number(seq))
    : Effect.fail(ValidationFailed.at("cursor", "is not a cursor of this list"))
}
