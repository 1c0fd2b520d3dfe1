import { Effect, Layer, Predicate } from "effect"
import {
  type ActivityItem,
  type ActivityList,
  encodeActivityCursor,
  type ListActivity,
  type ListAudit
} from "../../domain/audit/Activity.ts"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import * as Page from "../../domain/kernel/Page.ts"
import type { ExportFormat } from "../../domain/kernel/Query.ts"
import { hidePayloadQuery } from "../../domain/tasks/Task/Filter.ts"
import { AuditExport } from "../audit/Export.ts"
import { AuditRows } from "../audit/Rows.ts"
import { type AuditFilter, AuditSearch, itemOf } from "../audit/Search.ts"
import { type MemberKey, MemberNames } from "../identity/MemberNames.ts"
import { Projects } from "../identity/Projects.ts"
import { CurrentActor, CurrentProject, type ProjectView, visibleProjects } from "../kernel/CurrentActor.ts"
import { Xlsx } from "../kernel/Export/Xlsx.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { makeTargetNames } from "./Activity/TargetNames.ts"

const defaultAuditLimit = 50

/** Rows per page of the feed. */
const defaultFeedLimit = 50

const memberKeyOf = ({ project_id, user_id }: Pick<ActivityItem, "project_id" | "user_id">): ReadonlyArray<MemberKey> =>
  project_id === null || user_id === null ? [] : [{ project_id, user_id }]

/** What a row names the selection of its tasks. */
const selectionNames = ["filter", "filters", "selection"]

/** Without queries that compare arguments, which older rows have, and not all members may read. */
const hideQueries = (item: ActivityItem): ActivityItem => ({
  ...item,
  metadata: Object.fromEntries(
    Object.entries(item.metadata).map(([name, value]) => [
      name,
      selectionNames.includes(name) && Predicate.isReadonlyRecord(value) ? hidePayloadQuery(value) : value
    ])
  )
})

/** Reads the audit log: the activity feed for every user, and the log of one project for its admins. */
export class Activity extends Effect.Service<Activity>()("svc/Activity", {
  effect: Effect.gen(function*() {
    const auditRows = yield* AuditRows
    const search = yield* AuditSearch
    const auditExport = yield* AuditExport
    const projects = yield* Projects
    const settings = yield* Settings
    const memberNames = yield* MemberNames
    const findTargetNames = yield* makeTargetNames

    /** The projects whose rows the caller may see; all but some: also the rows of no project. */
    const viewOf = Effect.fnUntraced(function*(slug: string | undefined) {
      if (slug === undefined) return visibleProjects(yield* CurrentActor)
      return yield* projects.getBySlug(slug).pipe(
        Effect.map(({ id }): ProjectView => ({ only: [id] })),
        Effect.catchTag("NotFound", () => Effect.succeed<ProjectView>({ only: [] }))
      )
    })

    /**
     * A page of the feed, newest first (interface, Activity feed). With `since_cursor` alone the page has the oldest
     * rows after it, so a client that continues from `newest_cursor` misses none. Otherwise it has the newest rows,
     * before `before_cursor` if given.
     */
    const feed = Effect.fn("Activity.feed")(function*(query: ListActivity) {
      const actor = yield* CurrentActor
      const { limit = defaultFeedLimit } = query
      const since = query.since_cursor
      const before = query.before_cursor
      const from = since !== undefined && before === undefined ? "oldest" : "newest"
      const after = since === undefined ? null : (yield* auditRows.findPlace(since)).seq
      const beforePlace = before === undefined ? null : yield* auditRows.findPlace(before)
      const matches = yield* search.listVisible(yield* viewOf(query.project_slug), query, {
        from,
        after,
        before: beforePlace === null ? null : beforePlace.exact ? beforePlace.seq : beforePlace.seq + 1,
        limit: limit + 1
      })
      const pageRows = matches.slice(0, limit)
      const newestFirst = from === "newest" ? pageRows : pageRows.toReversed()
      const [newest] = newestFirst
      const oldest = newestFirst.at(-1)
      const hasMore = from === "newest" && matches.length > limit && oldest !== undefined
      const nameOf = yield* memberNames.find(newestFirst.flatMap(memberKeyOf))
      const items = newestFirst.map(itemOf(actor)).map(hideQueries)
      const targetNameOf = yield* findTargetNames(items)
      return {
        items: items.map((item) => {
          const [key] = memberKeyOf(item)
          return { ...item, user_name: key === undefined ? null : nameOf(key), target_name: targetNameOf(item) }
        }),
        next_before_cursor: hasMore ? encodeActivityCursor(oldest) : null,
        newest_cursor: newest !== undefined
          ? encodeActivityCursor(newest)
          : since !== undefined
          ? encodeActivityCursor(since)
          : null
      } satisfies ActivityList
    }, orDieOnSql)

    const filterOf = Effect.fnUntraced(function*(query: ListAudit) {
      const { id } = yield* CurrentProject
      return {
        project_id: id,
        action_prefix: query.action_prefix ?? "",
        user_id: query.user_id ?? null,
        outcome: query.outcome ?? null,
        target_id: query.target_id ?? null,
        after: query.since === undefined ? null : yield* auditRows.findLastBefore(query.since)
      } satisfies AuditFilter
    })

    /** A page of the project's rows, newest first. */
    const list = Effect.fn("Activity.list")(function*(query: ListAudit) {
      const actor = yield* CurrentActor
      const before = query.cursor === undefined ? null : yield* decodeSeqCursor(query.cursor)
      const limit = Math.min(query.limit ?? defaultAuditLimit, settings.restMaxPageSize)
      const matches = yield* search.listNewest(yield* filterOf(query), before, limit + 1)
      const pageRows = matches.slice(0, limit)
      const last = pageRows.at(-1)
      return {
        items: pageRows.map(itemOf(actor)),
        next_cursor: matches.length > limit && last !== undefined
          ? Page.encodeCursor("audit", [String(last.seq)])
          : null
      } satisfies Page.PageOf<ActivityItem>
    }, orDieOnSql)

    /** A file of the project's rows, newest first; ignores `cursor` and `limit`. */
    const exportAs = Effect.fn("Activity.exportAs")(function*(query: ListAudit, format: ExportFormat) {
      const actor = yield* CurrentActor
      return yield* auditExport.makeFile(
        search.all(yield* filterOf(query)),
        itemOf(actor),
        format,
        query.fields ?? null
      )
    }, orDieOnSql)

    return { feed, list, exportAs } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([AuditExport.layer, AuditSearch.layer, MemberNames.layer, Projects.layer]),
    Layer.provide([AuditRows.layer, Xlsx.layer])
  )
}

const decodeSeqCursor = (cursor: string): Effect.Effect<number, ValidationFailed> => {
  const [seq] = Page.decodeCursor("audit", cursor, 1) ?? []
  return seq !== undefined && /^\d{1,15}$/.test(seq)
    ? Effect.succeed(Number(seq))
    : Effect.fail(ValidationFailed.at("cursor", "is not a cursor of this list"))
}
