import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../../kernel/Describe.ts"
import { wholeNumber } from "../../kernel/Query.ts"
import { text } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"

export const TrendWindow = Schema.Literal("1h", "6h", "24h", "72h", "7d", "30d", "90d")
export type TrendWindow = typeof TrendWindow.Type

export const TrendBucketSize = Schema.Literal("1m", "5m", "15m", "1h", "1d")
export type TrendBucketSize = typeof TrendBucketSize.Type

/** Minutes of a window or bucket. */
export const minutesIn = {
  "1m": 1,
  "5m": 5,
  "15m": 15,
  "1h": 60,
  "6h": 360,
  "24h": 1440,
  "1d": 1440,
  "72h": 4320,
  "7d": 10_080,
  "30d": 43_200,
  "90d": 129_600
} as const satisfies Record<TrendWindow | TrendBucketSize, number>

const seriesQuery = {
  engine: describeField(Schema.optional(text(40, 1)), "Only tasks of this engine.", "celery"),
  queue: describeField(Schema.optional(text(200, 1)), "Only tasks of this queue.", "default")
}

/** The query of `GET /home/trends`. */
export const FindHomeTrends = Schema.Struct({
  window: describeField(Schema.optional(TrendWindow), "How far back; `24h` unless given.", "24h"),
  bucket: describeField(
    Schema.optional(TrendBucketSize),
    "The length of a bucket; `1h` unless given. `1m` reaches 24h, `5m` and `15m` reach 72h.",
    "1h"
  ),
  days_ago: describeField(
    Schema.optional(wholeNumber(0, 365)),
    "The window ends so many days ago; 0 unless given. Buckets shorter than an hour reach 72h back in all.",
    7
  )
})
export type FindHomeTrends = typeof FindHomeTrends.Type

/** The query of `GET /projects/{slug}/trends`. */
export const FindTrends = Schema.Struct({
  ...FindHomeTrends.fields,
  ...seriesQuery,
  name: describeField(Schema.optional(text(500, 1)), "Only tasks of this name.", "shop.pay"),
  by: describeField(
    Schema.optional(Schema.Literal("queue", "name", "worker")),
    "Adds `groups`: the 5 queues, names or workers of which the most tasks ended, and the rest. `worker` reaches 7 days back, and takes no `queue` or `name`.",
    "queue"
  )
})
export type FindTrends = typeof FindTrends.Type

/** How long tasks took. */
export const Durations = Schema.Struct({
  p50: describeField(Schema.Number, "Half of them took at most this long, in milliseconds.", 120),
  p95: describeField(Schema.Number, "95 % of them took at most this long.", 480),
  p99: describeField(Schema.Number, "99 % of them took at most this long.", 910)
})

const runtimes = describeField(
  Schema.NullOr(Durations),
  "Runtimes of the tasks that ended, within 2 %; null: none is known, or the chart has more than 200 buckets.",
  { p50: 120, p95: 480, p99: 910 }
)
const waits = describeField(
  Schema.NullOr(Durations),
  "Time from receipt to start of the tasks that started, within 2 %; null as `runtime_ms`.",
  { p50: 15, p95: 60, p99: 250 }
)

const countFields = {
  received: describeField(Schema.Int, "Tasks that were received.", 1210),
  success: describeField(Schema.Int, "Tasks that succeeded.", 1180),
  failure: describeField(Schema.Int, "Tasks that failed.", 12),
  retry: describeField(Schema.Int, "Retries.", 7),
  revoked: describeField(Schema.Int, "Tasks that were revoked.", 1),
  rejected: describeField(Schema.Int, "Tasks that were rejected.", 0),
  total: describeField(Schema.Int, "`success`, `failure`, `retry`, `revoked` and `rejected` together.", 1200),
  avg_runtime_ms: describeField(Schema.NullOr(Schema.Int), "The mean runtime; null: none is known.", 140),
  runtime_ms: runtimes,
  wait_ms: waits
}

const TrendTotals = Schema.Struct(countFields).annotations(describeBody("TrendTotals", "What ended in a window."))

export const TrendBucket = Schema.Struct({
  t: describeField(Timestamp, "The beginning of the bucket.", exampleTime),
  ...countFields
}).annotations(describeBody("TrendBucket", "What ended in one bucket."))
export type TrendBucket = typeof TrendBucket.Type

const TrendGroup = Schema.Struct({
  key: describeField(
    Schema.NullOr(Schema.String),
    "The queue, the name or the worker; empty: tasks without a queue; null: all others together.",
    "mail"
  ),
  ended: describeField(
    Schema.Array(Schema.Int),
    "Tasks that ended, in whatever state, in each bucket of `series`.",
    [12, 9]
  )
}).annotations(describeBody("TrendGroup", "The tasks of one queue, name or worker over time."))

export const Trends = Schema.Struct({
  window: describeField(TrendWindow, "The window.", "24h"),
  bucket: describeField(TrendBucketSize, "The length of a bucket.", "1h"),
  series: describeField(
    Schema.Array(TrendBucket),
    "Every bucket of the window, oldest first; the last one has not ended. Empty buckets have zeros."
  ),
  totals: describeField(TrendTotals, "All buckets together."),
  groups: describeField(
    Schema.optional(Schema.Array(TrendGroup)),
    "With `by`: the groups with the most tasks first, and last all others, if there are any."
  ),
  workers_cap: describeField(
    Schema.optional(Schema.NullOr(Schema.Int)),
    "With `by=worker`: beyond so many names within 8 days, workers are counted together, among all others; null: none was in this window.",
    1000
  )
}).annotations(describeBody("TrendsResponse", "Tasks over time."))
export type Trends = typeof Trends.Type

export const NamesSort = Schema.Literal("count", "failures", "failure_rate", "p50", "p95", "p99", "wait_p95", "name")
export type NamesSort = typeof NamesSort.Type

/** The query of `GET /projects/{slug}/task-names`. */
export const ListTaskNames = Schema.Struct({
  window: describeField(Schema.optional(TrendWindow), "How far back; `24h` unless given.", "24h"),
  sort: describeField(
    Schema.optional(NamesSort),
    "The largest first, `name` in the order of the letters; `count` unless given.",
    "p95"
  ),
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "The most names; 50 unless given.", 50),
  search: describeField(Schema.optional(text(200, 1)), "Part of the name, in either case.", "pay"),
  ...seriesQuery
})
export type ListTaskNames = typeof ListTaskNames.Type

export const TaskNameStats = Schema.Struct({
  name: describeField(
    Schema.String,
    "The name; `other` also counts names beyond `SVC_ROLLUP_SERIES_PER_PROJECT`.",
    "shop.pay"
  ),
  engine: describeField(Schema.String, "The engine.", "celery"),
  queues: describeField(Schema.Array(Schema.String), "Its queues; empty: none is known.", ["default"]),
  ...countFields,
  failure_rate: describeField(
    Schema.Number,
    "The share of failures among successes and failures, 0 to 1; 0 without any.",
    0.01
  )
}).annotations(describeBody("TaskNameStats", "How the tasks of one name do."))
export type TaskNameStats = typeof TaskNameStats.Type

export const TaskNames = Schema.Struct({
  window: describeField(TrendWindow, "The window.", "24h"),
  since: describeField(
    Timestamp,
    "Its beginning: a full minute, from `24h` on a full hour, from `30d` on a day in UTC.",
    exampleTime
  ),
  items: describeField(Schema.Array(TaskNameStats), "The names, as `sort` orders them."),
  total_count: describeField(Schema.Int, "Names that match, with those that `limit` leaves out.", 1)
}).annotations(describeBody("TaskNames", "How the tasks of each name do."))
export type TaskNames = typeof TaskNames.Type

/** The query of `GET /projects/{slug}/task-names/{name}`. */
export const FindTaskName = Schema.Struct({
  window: describeField(Schema.optional(TrendWindow), "How far back; `24h` unless given.", "24h")
})
export type FindTaskName = typeof FindTaskName.Type

const Distribution = Schema.Array(
  Schema.Struct({
    from_ms: describeField(Schema.Number, "Longer than this, in milliseconds; where it is 0, also those of 0.", 100),
    to_ms: describeField(Schema.Number, "At most this long.", 120),
    count: describeField(Schema.Int, "Tasks.", 12)
  })
)

export const TaskNameDetail = Schema.Struct({
  name: describeField(Schema.String, "The name.", "shop.pay"),
  window: describeField(TrendWindow, "The window.", "24h"),
  since: describeField(Timestamp, "Its beginning, as that of the list.", exampleTime),
  queues: describeField(
    Schema.Array(Schema.Struct({
      engine: describeField(Schema.String, "The engine.", "celery"),
      queue: describeField(Schema.NullOr(Schema.String), "The queue; null: none is known.", "default"),
      ...countFields,
      failure_rate: describeField(Schema.Number, "As in the list.", 0.01)
    })),
    "What ended by engine and queue, the most first.",
    []
  ),
  run_times: describeField(
    Distribution,
    "Runtimes of the tasks that ended, shortest first, in at most 40 ranges of equal ratio; without those that are empty at the ends.",
    [{ from_ms: 100, to_ms: 120, count: 12 }]
  ),
  queue_times: describeField(
    Distribution,
    "Times from receipt to start of the tasks that started, as `run_times`.",
    [{ from_ms: 10, to_ms: 12, count: 12 }]
  )
}).annotations(describeBody("TaskNameDetail", "How the tasks of one name do, by queue and by duration."))
export type TaskNameDetail = typeof TaskNameDetail.Type
