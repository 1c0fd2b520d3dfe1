import type { SqlClient, Statement } from "@effect/sql"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { minuteOf } from "../../../domain/tasks/FailureRate.ts"
import { startOf } from "../Rollups/Cells.ts"
import { levels } from "../Rollups/Series.ts"
import { timestampOf } from "../Rollups/Window.ts"

/** Failures of an hour below which a group does not escalate. */
const manyFailures = 20

/** The hour of a time: its bucket in the counts of failure groups, and when it begins. */
const hourOf = (time: Timestamp.Timestamp) => {
  const bucket = startOf(minuteOf(time), levels.hour)
  return { bucket, start: timestampOf(bucket) }
}

/** Groups that failed last before this time do not escalate. */
export const startOfEscalation = (now: Timestamp.Timestamp): Timestamp.Timestamp =>
  hourOf(Timestamp.addSeconds(now, -3600)).start

/**
 * A scalar for the rows `g` of `failure_groups`: how often the group failed in this hour or the one before, if that is at
 * least 20 times and twice as often as in any hour of the day before; else NULL. `since`: only of hours that began later.
 */
export const escalationOf = (
  sql: SqlClient.SqlClient,
  now: Timestamp.Timestamp,
  since: "first_seen_at" | "triaged_at" = "first_seen_at"
): Statement.Fragment => {
  const before = hourOf(Timestamp.addSeconds(now, -3600))
  const current = hourOf(now)
  const dayBefore = hourOf(Timestamp.addSeconds(now, -Timestamp.secondsPerDay - 3600))
  return sql`(SELECT max(h.occurrences) FROM failure_group_counts h
    WHERE h.project_id = g.project_id AND h.fingerprint = g.fingerprint AND h.level = ${levels.hour} AND h.bucket IN (${before.bucket}, ${current.bucket})
      AND h.occurrences >= ${manyFailures}
      AND ${sql.literal(`g.${since}`)} <
        CASE WHEN h.bucket = ${before.bucket} THEN ${before.start} ELSE ${current.start} END
      AND NOT EXISTS (
        SELECT 1 FROM failure_group_counts b WHERE b.project_id = h.project_id AND b.fingerprint = h.fingerprint
          AND b.level = ${levels.hour} AND b.bucket >= ${dayBefore.bucket} AND b.bucket < h.bucket
          AND b.occurrences * 2 > h.occurrences))`
}
