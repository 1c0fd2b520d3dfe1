import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { ProjectId, SubscriptionId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import {
  describeRate,
  type EndCounts,
  findEpisodeChange,
  minuteOf,
  windowSecondsOf
} from "../../domain/tasks/FailureRate.ts"
import { EventFilters } from "../../domain/triggers/Filters.ts"
import { makeSingleEvent, type TriggerEvent } from "../../domain/triggers/Trigger.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { rowsOf } from "../kernel/sql/Rows.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"

const RatedSubscription = Schema.Struct({
  id: SubscriptionId,
  project_id: ProjectId,
  filters: JsonColumn(EventFilters),
  updated_at: Timestamp.Timestamp,
  began_at: Schema.NullOr(Timestamp.Timestamp)
})
type RatedSubscription = typeof RatedSubscription.Type
const ratedRows = rowsOf(RatedSubscription)

/** Records the failure rates that were reached, and those that fell below, since the last evaluation. */
export const makeEvaluateRates = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  const triggerEvents = yield* TriggerEvents

  const readCounts = ({ filters, id }: RatedSubscription, now: Timestamp.Timestamp) => {
    const minutes = Math.ceil(windowSecondsOf(filters) / 60)
    return Effect.map(
      read<{ ended: number | string | null; failed: number | string | null }>`
        SELECT sum(ended) AS ended, sum(failed) AS failed FROM failure_rate_minutes
        WHERE subscription_id = ${id} AND minute > ${minuteOf(now) - minutes}`,
      ([sums]): EndCounts => ({ ended: Number(sums?.ended ?? 0), failed: Number(sums?.failed ?? 0) })
    )
  }

  const updateEpisode = (subscription: RatedSubscription, now: Timestamp.Timestamp) =>
    Effect.gen(function*() {
      const { id, updated_at } = subscription
      const counts = yield* readCounts(subscription, now)
      const change = findEpisodeChange(subscription, counts)
      const event = toEvent(subscription, counts, now)
      if (change === "begins") {
        const beganAt = now > updated_at ? now : updated_at // by another replica's clock
        const begun = yield* sql`INSERT INTO failure_rate_episodes (subscription_id, began_at)
          SELECT id, ${beganAt} FROM subscriptions WHERE id = ${id}
          ON CONFLICT (subscription_id) DO UPDATE SET began_at = excluded.began_at
            WHERE failure_rate_episodes.began_at < ${updated_at} RETURNING subscription_id`
        if (begun.length > 0) yield* triggerEvents.record([event])
      } else if (change === "ends") {
        const ended = yield* sql`DELETE FROM failure_rate_episodes WHERE subscription_id = ${id}
          RETURNING subscription_id`
        if (ended.length > 0) yield* triggerEvents.record([{ ...event, recovered: true }])
      }
    }).pipe(sql.withTransaction)

  return Effect.gen(function*() {
    const now = yield* Timestamp.now
    const subscriptions = yield* ratedRows(read`SELECT s.id, s.project_id, s.filters, s.updated_at, e.began_at
      FROM subscriptions s LEFT JOIN failure_rate_episodes e ON e.subscription_id = s.id
      WHERE s.trigger_key = 'task.failure_rate' AND s.is_active = 1
        AND (s.muted_until IS NULL OR s.muted_until <= ${now})`)
    for (const subscription of subscriptions) {
      const counts = yield* readCounts(subscription, now)
      // most rates do not change: no transaction, which would occupy SQLite's writer
      if (findEpisodeChange(subscription, counts) !== null) yield* updateEpisode(subscription, now)
    }
  })
})

/** Every replica runs it: each change is one conditional statement, so a second replica records nothing. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  yield* loops.every("failure rates", "10 seconds", yield* makeEvaluateRates)
})).pipe(Layer.provide(TriggerEvents.layer))

/** The condition is the subscription: only it takes the event, whatever its filters. */
const toEvent = (
  { filters, id, project_id }: RatedSubscription,
  counts: EndCounts,
  at: Timestamp.Timestamp
): TriggerEvent =>
  makeSingleEvent({
    project_id,
    trigger: "task.failure_rate",
    condition: id,
    engine: filters.engine ?? null,
    task_name: filters.task_name ?? filters.task_name_pattern ?? null,
    queue: filters.queue ?? null,
    subject: { type: "task", id, name: filters.task_name ?? filters.task_name_pattern ?? filters.queue ?? "all tasks" }
  }, { occurred_at: at, detail: describeRate(filters, counts) })
