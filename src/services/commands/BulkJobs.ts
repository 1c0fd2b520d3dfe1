import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { type BulkJobAct, type BulkJobFilter, tasksOf } from "../../domain/commands/BulkJob.ts"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { BulkJobId, type ProjectId } from "../../domain/kernel/Id.ts"
import { summarizeTerms } from "../../domain/kernel/Query.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { maxFacetValues, type TaskFacetCounts } from "../../domain/tasks/Task/Facets.ts"
import { summarizeSelection } from "../../domain/tasks/Task/Filter.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeTaskSelection } from "../approvalGate/Subject.ts"
import { Audit } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { decodeStart, pageOf } from "../kernel/sql/RowPage.ts"
import { Scans } from "../tasks/Scans.ts"
import { TaskSearch } from "../tasks/Search.ts"
import { finishEntryOf } from "./BulkJobs/FinishEntry.ts"
import { type BulkJobRow, BulkJobsRepo, everyEngine } from "./BulkJobs/Repo.ts"
import { BulkJobView } from "./BulkJobs/View.ts"

const defaultLimit = 50

/** Bulk jobs of a project that have not ended, or that have open commands. */
export const maxOpenJobs = 20

const notFound = new NotFound({ resource: "bulk job" })

const tooMany = new Conflict({
  code: "too_many_bulk_jobs",
  detail: `The project has ${maxOpenJobs} bulk jobs that have not ended. Wait for one, or stop one.`
})

const endedError = ({ status }: BulkJobRow) =>
  new Conflict({ code: "bulk_job_ended", detail: `The bulk job is ${status}.` })

/** Null: too many tasks to count. */
const totalOf = ({ counted, is_complete }: TaskFacetCounts) => (is_complete ? counted : null)

/**
 * Durable bulk jobs within the current project (docs/bulk-jobs.md): they delete or cancel all tasks of a filter.
 * `BulkJobs/Runner.ts` executes them.
 */
export class BulkJobs extends Effect.Service<BulkJobs>()("svc/BulkJobs", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* BulkJobsRepo
    const search = yield* TaskSearch
    const { describe, describeAll } = yield* BulkJobView
    const gate = yield* ApprovalGate
    const audit = yield* Audit
    const { bulkRetryDeadlineHours, restMaxPageSize } = yield* Settings

    const insert = Effect.fnUntraced(function*(job: BulkJobRow) {
      yield* lockName(sql, `bulk jobs ${job.project_id}`)
      if ((yield* repo.countUnsettled(job.project_id)) >= maxOpenJobs) return yield* tooMany
      yield* repo.insert(job)
      yield* audit.record({
        action: "bulk_job.created",
        target_type: "bulk_job",
        target_id: job.id,
        project_id: job.project_id,
        metadata: { act: job.act, filter: summarizeTerms(job.filter), total: job.total }
      })
      if (job.finished_at !== null) yield* audit.record(finishEntryOf(job))
      return job
    }, sql.withTransaction)

    /** The engines of the tasks that match; of all tasks where these could not be counted. */
    const listEngines = (projectId: ProjectId, { engine, is_complete }: TaskFacetCounts) =>
      is_complete && engine.length < maxFacetValues
        ? Effect.succeed(engine.map(({ value }) => value).sort())
        : repo.listEngines(projectId)

    /** A deletion by filter always needs a second person: it also takes what comes to match. */
    const checkDeletion = <E>(terms: BulkJobFilter, matching: Effect.Effect<number | null, E>) =>
      gate.checkBulk(
        {
          kind: "bulk_delete",
          request: terms, // the same as that of the bulk deletion, so that both wait as one
          summary: summarizeSelection("Delete", terms),
          subject: Effect.map(matching, makeTaskSelection)
        },
        terms.task_ids?.length ?? null
      )

    const checkCancellation = (terms: BulkJobFilter, total: number | null) =>
      gate.checkBulk(
        {
          kind: "bulk_cancel",
          request: terms,
          summary: summarizeSelection("Cancel", terms),
          subject: Effect.succeed(makeTaskSelection(total))
        },
        total
      )

    const create = Effect.fnUntraced(
      function*(act: BulkJobAct, terms: BulkJobFilter, requestedAt?: Timestamp.Timestamp) {
        const { id: project_id } = yield* CurrentProject
        const actor = yield* CurrentActor
        const created_at = yield* Timestamp.now
        const as_of = requestedAt ?? created_at
        const { filter_until } = terms
        const until = filter_until !== null && filter_until < as_of ? filter_until : as_of
        // named tasks are there already, and their agent's clock may be ahead
        const filter = terms.task_ids === null ? { ...terms, filter_until: until } : terms
        const count = search.countFacets(project_id, tasksOf(act, filter, as_of))
        if (act === "delete") yield* checkDeletion(terms, Effect.map(count, totalOf))
        const facets = yield* count
        const total = totalOf(facets)
        if (act === "cancel") yield* checkCancellation(terms, total)
        const engines = act === "delete" ? [everyEngine] : yield* listEngines(project_id, facets)
        const isEmpty = total === 0
        const ended_at = isEmpty ? created_at : null
        return yield* insert({
          id: yield* Ids.nextOf(BulkJobId),
          project_id,
          act,
          filter,
          status: isEmpty ? "completed" : "running",
          total,
          done: 0,
          skipped: 0,
          cursors: Object.fromEntries(engines.map((engine) => [engine, Ids.minId])),
          outcomes: act === "cancel" ? { pending: 0, succeeded: 0, failed: 0, unknown: 0 } : null,
          created_by: actor.kind === "person" ? actor.user_id : null,
          created_at,
          as_of,
          deadline_at: Timestamp.addSeconds(created_at, bulkRetryDeadlineHours * 3600),
          finished_at: ended_at,
          settled_at: ended_at
        })
      }
    )

    const begin = (act: BulkJobAct, terms: BulkJobFilter, requestedAt?: Timestamp.Timestamp) =>
      create(act, terms, requestedAt).pipe(Effect.flatMap(describe), gate.record)

    /**
     * Begins to delete the tasks that match, or, with `requestedAt`, those that matched when the approved request was
     * made.
     */
    const deleteMatching = Effect.fn("BulkJobs.deleteMatching")(
      (terms: BulkJobFilter, requestedAt?: Timestamp.Timestamp) => begin("delete", terms, requestedAt),
      orDieOnSql
    )

    /** Begins to cancel the tasks that match and have not ended; `requestedAt` as in `deleteMatching`. */
    const cancelMatching = Effect.fn("BulkJobs.cancelMatching")(
      (terms: BulkJobFilter, requestedAt?: Timestamp.Timestamp) => begin("cancel", terms, requestedAt),
      orDieOnSql
    )

    const find = Effect.fnUntraced(function*(id: BulkJobId) {
      const project = yield* CurrentProject
      return yield* Option.match(yield* repo.find(project.id, id), {
        onNone: () => notFound,
        onSome: Effect.succeed
      })
    })

    const get = Effect.fn("BulkJobs.get")((id: BulkJobId) => Effect.flatMap(find(id), describe), orDieOnSql)

    /** Newest first. */
    const list = Effect.fn("BulkJobs.list")(
      function*(query: { readonly cursor: string | undefined; readonly limit: number | undefined }) {
        const project = yield* CurrentProject
        const limit = Math.min(query.limit ?? defaultLimit, restMaxPageSize)
        const start = yield* decodeStart("bulk-jobs", { cursor: query.cursor, limit })
        const { items, next_cursor } = pageOf("bulk-jobs", { limit }, yield* repo.list(project.id, start, limit + 1))
        return { items: yield* describeAll(items), next_cursor }
      },
      orDieOnSql
    )

    const end = Effect.fnUntraced(function*(id: BulkJobId) {
      const project = yield* CurrentProject
      const locked = yield* repo.lock(project.id, id)
      if (Option.isNone(locked)) return yield* notFound
      const job = locked.value
      if (job.finished_at !== null) return yield* endedError(job)
      const now = yield* Timestamp.now
      const changes = {
        status: "stopped",
        finished_at: now,
        settled_at: job.act === "delete" ? now : null // commands may be open
      } as const
      yield* repo.update(id, changes)
      yield* audit.record({
        action: "bulk_job.stopped",
        target_type: "bulk_job",
        target_id: id,
        project_id: project.id,
        metadata: { act: job.act, total: job.total, done: job.done, skipped: job.skipped }
      })
      return { ...job, ...changes }
    }, sql.withTransaction)

    /** Ends the job. Tasks that are left stay as they are; commands that were issued go on. */
    const stop = Effect.fn("BulkJobs.stop")((id: BulkJobId) => Effect.flatMap(end(id), describe), orDieOnSql)

    return { deleteMatching, cancelMatching, get, list, stop } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ApprovalGate.layer, BulkJobsRepo.layer, BulkJobView.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
