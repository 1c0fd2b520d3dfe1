import { lowOf } from "../../agents/Queues/Low.ts"

/**
 * Assignments for the upserts of workers and queues on both databases. `greatest` is the function's name in the
 * dialect.
 */
export const workerChanges = (greatest: "max" | "greatest"): string => `
  state = CASE WHEN (excluded.last_heartbeat > coalesce(workers.last_heartbeat, '')
        AND (excluded.last_heartbeat > coalesce(workers.left_at, '') OR excluded.state = 'offline'))
      OR (excluded.last_heartbeat = workers.last_heartbeat AND excluded.state = 'offline') THEN excluded.state
    ELSE workers.state END,
  last_heartbeat = ${greatest}(coalesce(workers.last_heartbeat, excluded.last_heartbeat),
    coalesce(excluded.last_heartbeat, workers.last_heartbeat)),
  processed = workers.processed + excluded.processed, failed = workers.failed + excluded.failed,
  succeeded = workers.succeeded + excluded.succeeded, retried = workers.retried + excluded.retried,
  agent_id = coalesce(workers.agent_id, excluded.agent_id), updated_at = excluded.updated_at`

export const queueChanges = (greatest: "max" | "greatest"): string => `
  ${lowOf("excluded.last_seen_at")},
  depth = coalesce(excluded.depth, queues.depth),
  last_seen_at = ${greatest}(coalesce(queues.last_seen_at, ''), excluded.last_seen_at)`
