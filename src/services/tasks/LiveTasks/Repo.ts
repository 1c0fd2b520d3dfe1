import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { ChangePosition, LiveTask } from "../../../domain/tasks/LiveTask.ts"
import { percentOf } from "../../../domain/tasks/TaskOutput.ts"
import * as Ids from "../../kernel/Ids.ts"
import { orDieOnSql, postgresApplicationName, Reader } from "../../kernel/sql/Database.ts"
import { isOfCurrentRun } from "../Outputs.ts"
import { resumePosition } from "./ChangeBatch.ts"

export const pageSize = 500

/** A list shows one line of an exception, which may have many. */
const exceptionCharacters = 300

/**
 * A transaction takes its time shortly before its first write, from its replica's clock: clocks of replicas that differ
 * by less than this lose no change. This much is read again; what was sent is left out.
 */
const overlapSeconds = 1

/** A transaction that writes for longer, such as one that waits for a lock, may have a change that is not sent. */
const maxCommitSeconds = 30

export type LiveTasksRepo = Effect.Effect.Success<typeof makeLiveTasksRepo>

/** Reads the changes of a project, in the order of (updated_at, id). */
export const makeLiveTasksRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  // on SQLite one connection writes, in the order of its times
  const overlap = sql.onDialectOrElse({ pg: () => overlapSeconds, orElse: () => 0 })

  const listPage = (projectId: ProjectId, { id, updated_at }: ChangePosition, to: ChangePosition | null) =>
    Effect.map(
      orDieOnSql(read<Omit<LiveTask, "percent"> & { readonly progress: string | null }>`
      SELECT id, engine, task_id, name, queue, state, priority, retry_count, worker_name, received_at, started_at,
             finished_at, runtime_ms, substr(exception, 1, ${exceptionCharacters}) AS exception, updated_at,
             CASE WHEN state = 'started' THEN (
               SELECT progress FROM task_outputs o
               WHERE o.project_id = t.project_id AND o.engine = t.engine AND o.task_id = t.task_id
                 AND ${read.literal(isOfCurrentRun)}) END AS progress
      FROM tasks t WHERE project_id = ${projectId} AND (updated_at, id) > (${updated_at}, ${id})
        ${to === null ? read`` : read`AND (updated_at, id) <= (${to.updated_at}, ${to.id})`}
      ORDER BY updated_at, id LIMIT ${pageSize}`),
      (rows) =>
        rows.map(({ progress, ...task }): LiveTask => ({
          ...task,
          percent: progress === null ? null : percentOf(JSON.parse(progress))
        }))
    )

  /**
   * The time before which every change is committed, except for the overlap: transactions that write now began later.
   * Null where changes are committed in the order of their times. Only sessions of the brain count, since no other
   * program writes tasks, and one that is idle in a transaction would hold the horizon back. Some poolers set one
   * name for all sessions, which this session then has too, or none.
   */
  const readCommitHorizon: Effect.Effect<Timestamp.Timestamp | null> = sql.onDialectOrElse({
    pg: () =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const [row] = yield* orDieOnSql(read<{ seconds: number }>`
          SELECT CAST(coalesce(extract(epoch FROM clock_timestamp() - min(xact_start)), 0) AS double precision)
            AS seconds
          FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL
            AND application_name IN ('', ${postgresApplicationName}, current_setting('application_name'))`)
        return Timestamp.addSeconds(now, -Math.min(row?.seconds ?? 0, maxCommitSeconds))
      }),
    orElse: () => Effect.succeed(null)
  })

  /** The position to read from, so that late commits of other replicas are found too. */
  const rewind = (position: ChangePosition, commitHorizon: Timestamp.Timestamp | null): ChangePosition => {
    const { updated_at } = resumePosition(position, commitHorizon)
    return overlap === 0 ? position : { updated_at: Timestamp.addSeconds(updated_at, -overlap), id: Ids.minId }
  }

  return { listPage, readCommitHorizon, rewind } as const
})
