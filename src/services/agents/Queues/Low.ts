/**
 * The last report of a queue that showed fewer tasks than the one before, or of none. A queue of which no later report
 * did has only grown since. A report without a depth changes nothing.
 */
export const lowOf = (at: string): string => {
  const isLow = "queues.low_depth IS NULL OR excluded.depth < queues.depth OR excluded.depth = 0"
  const value = (column: string, next: string) =>
    `${column} = CASE WHEN excluded.depth IS NOT NULL AND (${isLow}) THEN ${next} ELSE queues.${column} END`
  return `${value("low_depth", "excluded.depth")}, ${value("low_at", at)}`
}
