import { Effect } from "effect"
import { NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../../domain/kernel/Page.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { FailureGroup, FailureGroupDetail, ListFailureGroups } from "../../domain/tasks/Failure/Group.ts"
import { minuteOf } from "../../domain/tasks/FailureRate.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { groupOf, type GroupPlace, makeFailureGroupsRepo } from "./Failures/Repo.ts"
import { chartBuckets, listBuckets, windowOf } from "./Failures/Window.ts"

const defaultLimit = 50
const defaultHours = 168
const listName = "issues"

/** Failures that are the same failure, as groups (docs/failures.md). The ingest maintains them. */
export class Failures extends Effect.Service<Failures>()("svc/Failures", {
  effect: Effect.gen(function*() {
    const repo = yield* makeFailureGroupsRepo

    /** The project's groups, most recently failed first; with `hours` their failed attempts in that window. */
    const list = Effect.fn("Failures.list")(function*(query: ListFailureGroups) {
      const { id } = yield* CurrentProject
      const now = yield* Timestamp.now
      const limit = query.limit ?? defaultLimit
      const rows = yield* repo.list(id, {
        engine: query.engine,
        status: query.status,
        seenSince: query.hours === undefined ? null : Timestamp.addSeconds(now, -query.hours * 3600),
        after: yield* decodePlace(query.cursor),
        limit: limit + 1
      })
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      const windowIn = query.hours === undefined
        ? () => null
        : yield* repo.countWindows(
          id,
          items.map(({ fingerprint }) => fingerprint),
          windowOf(now, query.hours, listBuckets)
        )
      const page: PageOf<FailureGroup> = {
        items: items.map((row) => groupOf(row, windowIn(row.fingerprint))),
        next_cursor: rows.length > limit && last !== undefined
          ? encodeCursor(listName, [last.last_seen_at, last.fingerprint])
          : null
      }
      return page
    }, orDieOnSql)

    /** A group with its hours, a sample, and the workers and queues of its newest tasks. */
    const get = Effect.fn("Failures.get")(function*(fingerprint: string, hours: number = defaultHours) {
      const { id } = yield* CurrentProject
      const row = yield* repo.find(id, fingerprint)
      if (row === undefined) return yield* new NotFound({ resource: "issue" })
      const now = yield* Timestamp.now
      const firstHour = Math.floor(minuteOf(now) / 60 - hours) * 60
      const windowIn = yield* repo.countWindows(id, [fingerprint], windowOf(now, hours, chartBuckets))
      const detail: FailureGroupDetail = {
        ...groupOf(row, windowIn(fingerprint)),
        hours: yield* repo.listHours(id, fingerprint, firstHour),
        sample_task: yield* repo.findTask(id, { engine: row.engine, task_id: row.sample_task_id }),
        ...yield* repo.countShares(id, fingerprint)
      }
      return detail
    }, orDieOnSql)

    return { list, get } as const
  })
}) {
  static readonly layer = this.Default
}

const decodePlace = (cursor: string | undefined): Effect.Effect<GroupPlace | null, ValidationFailed> => {
  if (cursor === undefined) return Effect.succeed(null)
  const [lastSeenAt, fingerprint] = decodeCursor(listName, cursor, 2) ?? []
  return lastSeenAt === undefined || fingerprint === undefined
    ? ValidationFailed.at("cursor", "is not a cursor of this list")
    : Effect.succeed({ lastSeenAt, fingerprint })
}
