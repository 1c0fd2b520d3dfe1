import { lowColumns, lowUpdates } from "../../agents/Queues/Lows.ts"

/**
 * The upserts of a transaction's totals, for both databases. `rows` says what is inserted: SQLite runs a statement for
 * each row, PostgreSQL one for all rows. `greatest` is the function's name in the dialect.
 */
export const countsUpsert = (rows: string): string =>
  `INSERT INTO task_counts (project_id, state, slot, tasks) ${rows}
  ON CONFLICT (project_id, state, slot) DO UPDATE SET tasks = task_counts.tasks + excluded.tasks`

export const facetsUpsert = (rows: string): string =>
  `INSERT INTO task_facets (project_id, facet, value, seen_at) ${rows}
  ON CONFLICT (project_id, facet, value) DO UPDATE SET seen_at = excluded.seen_at`

export const workersUpsert = (rows: string, greatest: "max" | "greatest"): string =>
  `INSERT INTO workers (id, project_id, engine, name, hostname, pid, queues, state, last_heartbeat, active_tasks,
    processed, failed, succeeded, retried, metadata, agent_id, created_at, updated_at) ${rows}
  ON CONFLICT (project_id, engine, name) DO UPDATE SET
    state = CASE WHEN (excluded.last_heartbeat > coalesce(workers.last_heartbeat, '')
          AND (excluded.last_heartbeat > coalesce(workers.left_at, '') OR excluded.state = 'offline'))
        OR (excluded.last_heartbeat = workers.last_heartbeat AND excluded.state = 'offline') THEN excluded.state
      ELSE workers.state END,
    last_heartbeat = ${greatest}(coalesce(workers.last_heartbeat, excluded.last_heartbeat),
      coalesce(excluded.last_heartbeat, workers.last_heartbeat)),
    processed = workers.processed + excluded.processed, failed = workers.failed + excluded.failed,
    succeeded = workers.succeeded + excluded.succeeded, retried = workers.retried + excluded.retried,
    agent_id = coalesce(workers.agent_id, excluded.agent_id), updated_at = excluded.updated_at`

export const queuesUpsert = (rows: string, greatest: "max" | "greatest"): string =>
  `INSERT INTO queues (id, project_id, engine, name, depth, last_seen_at, created_at, ${lowColumns}) ${rows}
  ON CONFLICT (project_id, engine, name) DO UPDATE SET ${lowUpdates},
    depth = coalesce(excluded.depth, queues.depth),
    last_seen_at = ${greatest}(coalesce(queues.last_seen_at, ''), excluded.last_seen_at)`
