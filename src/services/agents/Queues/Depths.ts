/** How deep queues were, by time (`queue_depths`). */
import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { rowsOf } from "../../kernel/sql/Rows.ts"

/** The last depth of each minute, and the largest of each 15 minutes. */
export const depthLevels = { minute: 0, quarter: 1 } as const
export const quarterMinutes = 15

/** Minutes serve the forecast and charts of up to 6 hours; a queue has 420 rows of them. */
export const keptMinutesOfDepths = 7 * 60

const depthRows = rowsOf(Schema.Struct({ bucket: Schema.Number, depth: Schema.Number }))

/**
 * The depths of a queue from a minute since 1970 on, the largest of each `size` minutes, oldest first; a bucket without a
 * report has no row. Minutes reach 7 hours back.
 */
export const listDepths = (read: SqlClient.SqlClient, queueId: string, from: number, size: number) => {
  const level = size < quarterMinutes ? depthLevels.minute : depthLevels.quarter
  return Effect.map(
    depthRows(
      read`SELECT CAST(bucket - bucket % ${size} AS INTEGER) AS bucket, CAST(max(depth) AS DOUBLE PRECISION) AS depth
      FROM queue_depths WHERE queue_id = ${queueId} AND level = ${level} AND bucket >= ${from}
      GROUP BY 1 ORDER BY 1`
    ),
    (rows) => rows.map(({ bucket, depth }) => ({ minute: bucket, depth }))
  )
}
