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
import { BulkJobsRepo } from "./Repo.ts"
import { type BulkWalk, complete, walkEntry } from "./Row.ts"
import { noStep, type Step } from "./Step.ts"

/** The name of a deletion's one cursor: it walks over the tasks of all engines. */
export const everyEngine = "*"

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

    const filterOf = ({ as_of, filter }: BulkWalk) => tasksOf("delete", filter, as_of)

    /** Deletes what still matches of the slice, as far as the job runs, and counts it in the same transaction. */
    const write = Effect.fnUntraced(function*(snapshot: BulkWalk, after: string, ids: ReadonlyArray<string>) {
      const job = Option.getOrUndefined(yield* repo.walks.lock(snapshot.project_id, snapshot.id))
      if (job === undefined || job.finished_at !== null) return noStep
      if (ids.length === 0 && after === Ids.minId) {
        const ended = { ...complete(job, yield* Timestamp.now), cursors: {} }
        yield* repo.walks.save(ended)
        yield* audit.record(walkEntry("finished", ended))
        return { moved: 1, openCommands: 0 } satisfies Step
      }
      const matching = ids.length === 0 ? [] : yield* search.lockMatches(job.project_id, filterOf(job), ids)
      const deleted = matching.length === 0
        ? 0
        : yield* bulk.deleteSlice(job.project_id, job.filter, matching, { bulk_job_id: job.id })
      const last = ids.length < rowsAtOnce ? Ids.minId : ids.at(-1) ?? Ids.minId
      yield* repo.walks.save({ ...job, succeeded: job.succeeded + deleted, cursors: { [everyEngine]: last } })
      return { moved: Math.max(1, ids.length), openCommands: 0 } satisfies Step
    })

    const step = Effect.fn("BulkJobDeletion.step")(function*(job: BulkWalk) {
      const lease = yield* Lease
      const after = job.cursors[everyEngine] ?? Ids.minId
      const window = { after, asOf: job.as_of, limit: rowsAtOnce }
      const ids = yield* search.listArrived(job.project_id, filterOf(job), window)
      return yield* lease.withTransaction(write(job, after, ids))
    })

    return { step } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkJobsRepo.layer, TaskBulkDelete.layer]),
    Layer.provide([TaskDeletion.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
