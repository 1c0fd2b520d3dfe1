import { Effect } from "effect"
import type { ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { Reader } from "../kernel/sql/Database.ts"
import type { ReplayedTask } from "../tasks/Ingest/Replay.ts"
import type { MarkedTask } from "../tasks/Orphans.ts"
import { listParentsBy } from "./ExecutionsRepo.ts"

/** A task of which an attempt was orphaned. */
export interface OrphanRow extends MarkedTask {
  readonly orphaned_at: Timestamp
}

/** A misfire of a schedule that still exists. */
export interface MisfireRow {
  readonly id: string
  readonly project_id: ProjectId
  readonly schedule_id: ScheduleId
  readonly detected_at: Timestamp
  readonly detail: string | null
  readonly name: string
  readonly engine: string
  readonly task_name: string
  readonly queue: string | null
}

/** A stretch of a project's history, read newest first. */
export interface Stretch {
  readonly projectId: ProjectId
  readonly from: Timestamp
  readonly until: Timestamp
}

/** The condition of the index `tasks_failed_or_retried`. */
const failedOrRetried = "(fingerprint IS NOT NULL OR retry_count > 0)"

/**
 * Pages of stored history for backtests. A page begins with a range of the time alone: for a row value of time and id,
 * SQLite sorts all rows of all projects once ANALYZE has run (0.8 s a page of 200 000 tasks, instead of 1 ms).
 *
 * The driver's rows, since a backtest reads up to 200 000 of them.
 */
export class RuleHistoryRepo extends Effect.Service<RuleHistoryRepo>()("svc/RuleHistoryRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    return {
      /** Tasks that changed after an attempt of them ended; `after` is the last one of the page before. */
      listTasks: (
        { from, projectId, until }: Stretch,
        which: "failed or retried" | "all",
        after: ReplayedTask | null,
        limit: number
      ) =>
        read<ReplayedTask>`SELECT id, project_id, engine, task_id, history, updated_at FROM tasks
          WHERE project_id = ${projectId} AND updated_at >= ${from} AND updated_at <= ${after?.updated_at ?? until}
            ${after === null ? read.literal("") : read`AND (updated_at < ${after.updated_at} OR id < ${after.id})`}
            ${read.literal(which === "all" ? "" : `AND ${failedOrRetried}`)}
          ORDER BY updated_at DESC, id DESC LIMIT ${limit}`,

      listOrphans: (
        { from, projectId, until }: Stretch,
        after: Pick<OrphanRow, "engine" | "task_id" | "orphaned_at"> | null,
        limit: number
      ) =>
        read<OrphanRow>`SELECT t.id, t.project_id, t.engine, t.task_id, t.name, t.queue, t.priority, t.retry_count,
            o.worker_name, o.detail, o.orphaned_at
          FROM task_orphans o JOIN tasks t
            ON t.project_id = o.project_id AND t.engine = o.engine AND t.task_id = o.task_id
          WHERE o.project_id = ${projectId} AND o.orphaned_at >= ${from} AND o.orphaned_at <= ${
          after?.orphaned_at ?? until
        } ${
          after === null
            ? read.literal("")
            : read`AND (o.orphaned_at < ${after.orphaned_at} OR (o.engine, o.task_id) < (${after.engine}, ${after.task_id}))`
        }
          ORDER BY o.orphaned_at DESC, o.engine DESC, o.task_id DESC LIMIT ${limit}`,

      /** By id, since ids and `detected_at` are of one moment. */
      listMisfires: (projectId: ProjectId, fromId: string, beforeId: string, limit: number) =>
        read<MisfireRow>`SELECT m.id, m.project_id, m.schedule_id, m.detected_at, m.detail,
            s.name, s.engine, s.task_name, s.queue
          FROM schedule_misfires m JOIN schedules s ON s.id = m.schedule_id
          WHERE m.project_id = ${projectId} AND m.id >= ${fromId} AND m.id < ${beforeId}
          ORDER BY m.id DESC LIMIT ${limit}`,

      listParents: listParentsBy(read)
    } as const
  })
}) {
  static readonly layer = this.Default
}
