import { Effect, Layer, Option } from "effect"
import { tasksOf } from "../../../domain/commands/BulkJob.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit } from "../../audit/Audit.ts"
import { Lease } from "../../kernel/concurrency/Leader.ts"
import * as Ids from "../../kernel/Ids.ts"
import { rowsAtOnce, TaskBulkDelete } from "../../tasks/BulkDelete.ts"
import { TaskDeletion } from "../../tasks/Deletion.ts"
import { Scans } from "../../tasks/Scans.ts"
import { TaskSearch } from "../../tasks/Search.ts"
import { finishEntryOf } from "./FinishEntry.ts"
import { type BulkJobRow, BulkJobsRepo, countSkippedAtEnd, everyEngine } from "./Repo.ts"

/**
 * Deletes the tasks of a job, a slice of the oldest in each step. It walks over them until a walk finds none: a task may
 * come to match behind the cursor.
 */
export class BulkJobDeletion extends Effect.Service<BulkJobDeletion>()("svc/BulkJobDeletion", {
  effect: Effect.gen(function*() {
    const repo = yield* BulkJobsRepo
    const search = yield* TaskSearch
    const bulk = yield* TaskBulkDelete
    const audit = yield* Audit

    const filterOf = ({ as_of, filter }: BulkJobRow) => tasksOf("delete", filter, as_of)

    /** Deletes what still matches of the slice, as far as the job runs, and counts it in the same transaction. */
    const write = Effect.fnUntraced(function*(seen: BulkJobRow, after: string, ids: ReadonlyArray<string>) {
      const job = Option.getOrUndefined(yield* repo.lock(seen.project_id, seen.id))
      if (job === undefined || job.finished_at !== null) return 0
      const isEnd = ids.length === 0 && after === Ids.minId
      const matching = ids.length === 0 ? [] : yield* search.lockMatches(job.project_id, filterOf(job), ids)
      const deleted = matching.length === 0
        ? 0
        : yield* bulk.deleteSlice(job.project_id, job.filter, matching, { bulk_job_id: job.id })
      const done = job.done + deleted
      if (isEnd) {
        const now = yield* Timestamp.now
        const skipped = countSkippedAtEnd(job)
        yield* repo.update(job.id, { status: "completed", skipped, cursors: {}, finished_at: now, settled_at: now })
        yield* audit.record(finishEntryOf({ ...job, skipped }))
      } else {
        const last = ids.length < rowsAtOnce ? Ids.minId : ids.at(-1) ?? Ids.minId
        yield* repo.update(job.id, { done, cursors: { [everyEngine]: last } })
      }
      return Math.max(1, ids.length)
    })

    /** One step; returns how many tasks it moved, 0 where nothing was left to do. */
    const advance = Effect.fn("BulkJobDeletion.advance")(function*(job: BulkJobRow) {
      const lease = yield* Lease
      const after = job.cursors[everyEngine] ?? Ids.minId
      const newest = Ids.maxIdAt(Timestamp.toEpochMillis(job.as_of))
      const found = yield* search.listIds(
        job.project_id,
        filterOf(job),
        { direction: "oldest", after, limit: rowsAtOnce }
      )
      return yield* lease.withTransaction(write(job, after, found.filter((id) => id <= newest)))
    })

    return { advance } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkJobsRepo.layer, TaskBulkDelete.layer]),
    Layer.provide([TaskDeletion.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
