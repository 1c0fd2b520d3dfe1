import { Schema } from "effect"
import { queueFields } from "../../agents/Queue.ts"
import { describeBody, describeField, exampleTime } from "../../kernel/Describe.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { TrendWindow } from "../Rollup/Trends.ts"
import { QueueForecast } from "./Forecast.ts"
import { QueueSizing } from "./Sizing.ts"

const DepthPoint = Schema.Struct({
  t: describeField(Timestamp, "The beginning of the bucket.", exampleTime),
  depth: describeField(Schema.NullOr(Schema.Int), "The largest depth; null: none was reported.", 12)
}).annotations(describeBody("QueueDepthPoint", "How deep a queue was."))

/** A queue with what follows from its last hours. */
export const QueueDetail = Schema.Struct({
  ...queueFields,
  window: describeField(TrendWindow, "The window of `depths`.", "24h"),
  depths: describeField(
    Schema.Array(DepthPoint),
    "The depth over time, oldest first: each minute of 1h, 5 minutes of 6h, 15 minutes of 24h, hour of 72h and 7d, day " +
      "of 30d and 90d. Depths are kept for SVC_ROLLUP_HOURS_RETENTION_DAYS."
  ),
  forecast: describeField(
    Schema.NullOr(QueueForecast),
    "When it will be empty; null: the reports of the last 15 minutes say too little."
  ),
  sizing: describeField(
    Schema.NullOr(QueueSizing),
    "How many workers would hold the target; null without a target, or with fewer than 20 tasks in the last hour."
  )
}).annotations(describeBody("QueueDetail", "A queue with its depth over time and what to expect of it."))
export type QueueDetail = typeof QueueDetail.Type

/** The query of `GET /projects/{slug}/queues/{engine}/{name}`. */
export const FindQueue = Schema.Struct({
  window: describeField(Schema.optional(TrendWindow), "How far back; `24h` unless given.", "24h")
})
export type FindQueue = typeof FindQueue.Type
