import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ProjectId, SubscriptionId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { EventFilters } from "../../../domain/triggers/Filters.ts"
import { makeSingleEvent, type TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import type { SqliteConnection, SqliteStatement } from "../../../sqlite/Connection.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { JsonColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"
import { TriggerEvents } from "../../triggers/TriggerEvents.ts"
import type { Interests } from "../../triggers/TriggerEvents/Interests.ts"
import type { FoldedGroup } from "./Fold.ts"

/** What a subscription's filters leave open (docs/notifications.md). */
const defaults = { rate_percent: 20, window_seconds: 300, min_tasks: 20 }

/** The longest window, and the present minute. */
export const keptMinutes = 24 * 60 + 1

const RatedSubscription = Schema.Struct({
  id: SubscriptionId,
  project_id: ProjectId,
  filters: JsonColumn(EventFilters),
  updated_at: Timestamp.Timestamp,
  /** When the event about the present episode was recorded. */
  began_at: Schema.NullOr(Timestamp.Timestamp)
})
type RatedSubscription = typeof RatedSubscription.Type
const ratedRows = rowsOf(RatedSubscription)

interface Counts {
  readonly ended: number
  readonly failed: number
}

export const minuteOf = (at: Timestamp.Timestamp): number => Math.floor(Timestamp.toEpochMillis(at) / 60_000)

const insertMinutes = "INSERT INTO failure_rate_minutes (subscription_id, minute, slot, ended, failed)"
const addMinutes = `ON CONFLICT (subscription_id, minute, slot) DO UPDATE SET
  ended = failure_rate_minutes.ended + excluded.ended, failed = failure_rate_minutes.failed + excluded.failed`

/**
 * `task.failure_rate`: the ingest counts the ends that each subscription to it takes, by minute of their commit, in its
 * own transaction. A loop compares the counts with the filters. Every replica runs it: each change is one conditional
 * statement, so a second replica records nothing.
 */
export const makeFailureRates = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  const loops = yield* Loops
  const triggerEvents = yield* TriggerEvents
  const statements = new WeakMap<SqliteConnection, SqliteStatement>()

  const count = (
    folded: ReadonlyArray<FoldedGroup>,
    interests: ReadonlyMap<ProjectId, Interests>,
    slot: number,
    at: Timestamp.Timestamp
  ): Effect.Effect<void, SqlError.SqlError> => {
    const rows = countEnds(folded, interests)
    return rows.length === 0 ? Effect.void : Effect.asVoid(sql`${sql.literal(insertMinutes)}
      SELECT r.subscription_id, ${minuteOf(at)}, ${slot}, r.ended, r.failed FROM ${
      recordset(sql, "r", { subscription_id: "uuid", ended: "integer", failed: "integer" }, rows)
    } WHERE true ${sql.literal(addMinutes)}`)
  }

  /** `count` in a synchronous transaction on SQLite. */
  const countOnSqlite = (
    db: SqliteConnection,
    folded: ReadonlyArray<FoldedGroup>,
    interests: ReadonlyMap<ProjectId, Interests>,
    slot: number,
    at: Timestamp.Timestamp
  ): void => {
    const rows = countEnds(folded, interests)
    if (rows.length === 0) return
    let statement = statements.get(db)
    if (statement === undefined) {
      statement = db.prepare(
        `${insertMinutes} VALUES (@subscription_id, @minute, @slot, @ended, @failed) ${addMinutes}`
      )
      statements.set(db, statement)
    }
    for (const row of rows) statement.run({ ...row, minute: minuteOf(at), slot })
  }

  const countsOf = ({ filters, id }: RatedSubscription, now: Timestamp.Timestamp) => {
    const minutes = Math.ceil((filters.window_seconds ?? defaults.window_seconds) / 60)
    return Effect.map(
      read<{ ended: number | string | null; failed: number | string | null }>`
        SELECT sum(ended) AS ended, sum(failed) AS failed FROM failure_rate_minutes
        WHERE subscription_id = ${id} AND minute > ${minuteOf(now) - minutes}`,
      ([sums]): Counts => ({ ended: Number(sums?.ended ?? 0), failed: Number(sums?.failed ?? 0) })
    )
  }

  const updateEpisode = (subscription: RatedSubscription, now: Timestamp.Timestamp) =>
    Effect.gen(function*() {
      const { filters, id, updated_at } = subscription
      const counts = yield* countsOf(subscription, now)
      if (isNews(subscription) && isReached(filters, counts)) {
        const beganAt = now > updated_at ? now : updated_at // by another replica's clock
        const begun = yield* sql`INSERT INTO failure_rate_episodes (subscription_id, began_at)
          SELECT id, ${beganAt} FROM subscriptions WHERE id = ${id}
          ON CONFLICT (subscription_id) DO UPDATE SET began_at = excluded.began_at
            WHERE failure_rate_episodes.began_at < ${updated_at} RETURNING subscription_id`
        if (begun.length > 0) yield* triggerEvents.record([toEvent(subscription, counts, now)])
      } else if (subscription.began_at !== null && isOver(filters, counts)) {
        const ended = yield* sql`DELETE FROM failure_rate_episodes WHERE subscription_id = ${id}
          RETURNING subscription_id`
        if (ended.length > 0) {
          yield* triggerEvents.record([{ ...toEvent(subscription, counts, now), recovered: true }])
        }
      }
    }).pipe(sql.withTransaction)

  /** Records the rates that were reached, and those that fell below, since the last time. */
  const evaluate = Effect.gen(function*() {
    const now = yield* Timestamp.now
    const subscriptions = yield* ratedRows(read`SELECT s.id, s.project_id, s.filters, s.updated_at, e.began_at
      FROM subscriptions s LEFT JOIN failure_rate_episodes e ON e.subscription_id = s.id
      WHERE s.trigger_key = 'task.failure_rate' AND s.is_active = 1
        AND (s.muted_until IS NULL OR s.muted_until <= ${now})`)
    for (const subscription of subscriptions) {
      const { began_at, filters } = subscription
      const counts = yield* countsOf(subscription, now)
      // most rates do not change: no transaction, which would occupy SQLite's writer
      const isChange = (isNews(subscription) && isReached(filters, counts)) ||
        (began_at !== null && isOver(filters, counts))
      if (isChange) yield* updateEpisode(subscription, now)
    }
  })

  yield* loops.every("failure rates", "10 seconds", evaluate)

  return { count, countOnSqlite, evaluate } as const
})

const rateLimitOf = ({ rate_percent }: EventFilters): number => rate_percent ?? defaults.rate_percent

const isReached = (filters: EventFilters, { ended, failed }: Counts): boolean =>
  ended >= (filters.min_tasks ?? defaults.min_tasks) && failed * 100 >= rateLimitOf(filters) * ended

/**
 * A subscription that was changed since was perhaps muted or inactive, which ended its alert without a message: it is
 * notified again.
 */
const isNews = ({ began_at, updated_at }: RatedSubscription): boolean => began_at === null || began_at < updated_at

/** Too few tasks do not end it, unless none of them failed. */
const isOver = (filters: EventFilters, { ended, failed }: Counts): boolean =>
  failed === 0 || (ended >= (filters.min_tasks ?? defaults.min_tasks) && failed * 100 < rateLimitOf(filters) * ended)

/** In the order of the subscriptions' ids, so that all writers lock the rows in one order. */
const countEnds = (folded: ReadonlyArray<FoldedGroup>, interests: ReadonlyMap<ProjectId, Interests>) => {
  const counts = new Map<string, { ended: number; failed: number }>()
  for (const { newEnds, row } of folded) {
    const ofProject = newEnds === null ? undefined : interests.get(row.project_id)
    if (newEnds === null || ofProject === undefined) continue
    const ended = newEnds.succeeded + newEnds.failed
    if (ended === 0) continue
    const { engine, name, priority, queue } = row
    for (const id of ofProject.rateSubscriptionsOf({ engine, task_name: name, priority, queue })) {
      const sums = counts.get(id) ?? { ended: 0, failed: 0 }
      counts.set(id, sums)
      sums.ended += ended
      sums.failed += newEnds.failed
    }
  }
  return [...counts].map(([subscription_id, sums]) => ({ subscription_id, ...sums })).sort((left, right) =>
    left.subscription_id < right.subscription_id ? -1 : 1
  )
}

/** The condition is the subscription: only it takes the event, whatever its filters. */
const toEvent = (
  { filters, id, project_id }: RatedSubscription,
  { ended, failed }: Counts,
  at: Timestamp.Timestamp
): TriggerEvent => {
  const share = ended === 0 ? 0 : Math.round((failed * 1000) / ended) / 10
  const window = filters.window_seconds ?? defaults.window_seconds
  return makeSingleEvent({
    project_id,
    trigger: "task.failure_rate",
    condition: id,
    engine: filters.engine ?? null,
    task_name: filters.task_name ?? filters.task_name_pattern ?? null,
    queue: filters.queue ?? null,
    subject: { type: "task", id, name: filters.task_name ?? filters.task_name_pattern ?? filters.queue ?? "all tasks" }
  }, {
    occurred_at: at,
    detail: `${failed} of ${ended} tasks failed within ${window} s: ${share} %, the limit is ${rateLimitOf(filters)} %.`
  })
}
