/**
 * The least depth that a queue's reports showed in the present 5 minutes and in each of the two 5 minutes before. A
 * backlog that grows raises it each time, though single reports have fewer tasks than the one before.
 */
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"

const windowSeconds = 300

/** The 5 minutes of a moment, counted since 1970. */
export const lowWindowOf = (at: Timestamp.Timestamp): number => Math.floor(Timestamp.toEpochSeconds(at) / windowSeconds)

/** What an upsert of queues inserts: the report's 5 minutes and its depth. */
export const lowColumns = "low_window, low_depth"

const isLater = "(queues.low_window IS NULL OR excluded.low_window > queues.low_window)"

/** A report without a depth changes nothing, nor does a late one. */
const assign = (column: string, ofLater: string, ofSame = `queues.${column}`): string =>
  `${column} = CASE WHEN excluded.depth IS NULL THEN queues.${column} WHEN ${isLater} THEN ${ofLater}
    WHEN excluded.low_window = queues.low_window THEN ${ofSame} ELSE queues.${column} END`

/** Unknown after 5 minutes without a report. */
const unlessGap = (column: string): string =>
  `CASE WHEN excluded.low_window = queues.low_window + 1 THEN queues.${column} END`

/** The assignments of an upsert that inserts `lowColumns`. */
export const lowUpdates = [
  assign("low_earlier", unlessGap("low_before")),
  assign("low_before", unlessGap("low_depth")),
  assign(
    "low_depth",
    "excluded.depth",
    "CASE WHEN excluded.depth < queues.low_depth THEN excluded.depth ELSE queues.low_depth END"
  ),
  assign("low_window", "excluded.low_window")
].join(", ")

/** A queue with fewer further tasks, or whose backlog is larger by less than a tenth, is not reported. */
const grownTasks = 20

/** Whether the least depth rose from each 5 minutes to the next; the caller compares `low_window` with the present one. */
export const hasGrown = `low_earlier < low_before AND low_before < low_depth
  AND low_depth >= low_earlier + ${grownTasks} AND low_depth * 10 >= low_earlier * 11`
