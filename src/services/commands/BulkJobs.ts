import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { type BulkJobAction, type BulkJobFilter, tasksOf } from "../../domain/commands/BulkJob.ts"
import { Conflict } from "../../domain/kernel/Errors.ts"
import { BulkJobId, type ProjectId } from "../../domain/kernel/Id.ts"
import { omitNullTerms, summarizeTerms } from "../../domain/kernel/Query.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { maxFacetValues, type ReadFacetCounts } from "../../domain/tasks/Task/Facets.ts"
import { hidePayloadQuery, summarizeSelection } from "../../domain/tasks/Task/Filter.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeTaskSelection } from "../approvalGate/Subject.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { Scans } from "../tasks/Scans.ts"
import { TaskSearch } from "../tasks/Search.ts"
import { everyEngine } from "./BulkJobs/Deletion.ts"
import { makeReads, type PageQuery } from "./BulkJobs/Reads.ts"
import { BulkJobsRepo } from "./BulkJobs/Repo.ts"
import { type BulkWalk, maxOpenJobs, noProgress, walkEntry } from "./BulkJobs/Row.ts"
import { BulkJobView } from "./BulkJobs/View.ts"

const tooMany = new Conflict({
  code: "too_many_bulk_jobs",
  detail: `The project has ${maxOpenJobs} bulk jobs that have not ended. Wait for one, or stop one.`
})

/** Null: too many tasks to count. */
const totalOf = ({ counted, is_complete }: ReadFacetCounts) => (is_complete ? counted : null)

/**
 * Durable bulk jobs within the current project (docs/bulk-jobs.md): they delete or cancel all tasks of a filter.
 * `BulkJobs/Runner.ts` executes them.
 */
// one object of short methods: half of it is the creation of a job, whose checks share the count of its tasks
export class BulkJobs extends Effect.Service<BulkJobs>()("svc/BulkJobs", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* BulkJobsRepo
    const { walks } = repo
    const search = yield* TaskSearch
    const { describe, describeAll } = yield* BulkJobView
    const gate = yield* ApprovalGate
    const audit = yield* Audit
    const hints = yield* Hints
    const { bulkRetryDeadlineHours } = yield* Settings
    const reads = yield* makeReads(walks, { resource: "bulk job", name: "bulk-jobs", defaultLimit: 50 })

    const insert = Effect.fnUntraced(function*(job: BulkWalk) {
      yield* lockName(sql, `bulk jobs ${job.project_id}`)
      if ((yield* walks.countOpen(job.project_id)) >= maxOpenJobs) return yield* tooMany
      yield* walks.insert(job)
      yield* hints.publish("bulk_jobs", job.project_id)
      yield* audit.record(auditEntry("bulk_job.created", "bulk_job", job.id, {
        project_id: job.project_id,
        metadata: {
          act: job.action,
          filter: hidePayloadQuery(summarizeTerms(omitNullTerms(job.filter))),
          total: job.total
        }
      }))
      if (job.finished_at !== null) yield* audit.record(walkEntry("finished", job))
      return job
    }, sql.withTransaction)

    /** The engines of the tasks that match; of all tasks where these could not be counted. */
    const listEngines = (projectId: ProjectId, { engine, is_complete }: ReadFacetCounts) =>
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
      function*(action: BulkJobAction, terms: BulkJobFilter, requestedAt?: Timestamp.Timestamp) {
        const { id: project_id } = yield* CurrentProject
        const actor = yield* CurrentActor
        const created_at = yield* Timestamp.now
        const as_of = requestedAt ?? created_at
        const { filter_until } = terms
        const until = filter_until !== null && filter_until < as_of ? filter_until : as_of
        // named tasks are there already, and their agent's clock may be ahead
        const filter = terms.task_ids === null ? { ...terms, filter_until: until } : terms
        const count = search.countFacets(project_id, tasksOf(action, filter, as_of))
        if (action === "delete") yield* checkDeletion(terms, Effect.map(count, totalOf))
        const facets = yield* count
        const total = totalOf(facets)
        if (action === "cancel") yield* checkCancellation(terms, total)
        const engines = action === "delete" ? [everyEngine] : yield* listEngines(project_id, facets)
        const ended_at = total === 0 ? created_at : null
        return yield* insert({
          ...noProgress,
          id: yield* Ids.nextOf(BulkJobId),
          project_id,
          action,
          filter,
          status: ended_at === null ? "running" : "completed",
          total,
          cursors: Object.fromEntries(engines.map((engine) => [engine, Ids.minId])),
          created_by: actor.kind === "person" ? actor.user_id : null,
          created_at,
          as_of,
          sealed_at: created_at,
          deadline_at: Timestamp.addSeconds(created_at, bulkRetryDeadlineHours * 3600),
          finished_at: ended_at,
          resolved_at: ended_at
        })
      }
    )

    const begin = (action: BulkJobAction, terms: BulkJobFilter, requestedAt?: Timestamp.Timestamp) =>
      create(action, terms, requestedAt).pipe(Effect.flatMap(describe), gate.record)

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

    const get = Effect.fn("BulkJobs.get")((id: BulkJobId) => Effect.flatMap(reads.find(id), describe), orDieOnSql)

    /** Newest first. */
    const list = Effect.fn("BulkJobs.list")(
      function*(query: PageQuery) {
        const { items, next_cursor } = yield* reads.listPage(query)
        return { items: yield* describeAll(items), next_cursor }
      },
      orDieOnSql
    )

    const end = Effect.fnUntraced(function*(id: BulkJobId) {
      const job = yield* reads.lock(id)
      if (job.finished_at !== null) {
        return yield* new Conflict({ code: "bulk_job_ended", detail: `The bulk job is ${job.status}.` })
      }
      const now = yield* Timestamp.now
      const resolved_at = job.action === "delete" ? now : null // commands may be open
      const stopped: BulkWalk = { ...job, status: "stopped", finished_at: now, resolved_at }
      yield* walks.save(stopped)
      yield* audit.record(walkEntry("stopped", stopped))
      return stopped
    }, sql.withTransaction)

    /** Ends the job. Tasks that are left stay as they are; commands that were issued continue. */
    const stop = Effect.fn("BulkJobs.stop")((id: BulkJobId) => Effect.flatMap(end(id), describe), orDieOnSql)

    return { deleteMatching, cancelMatching, get, list, stop } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ApprovalGate.layer, BulkJobsRepo.layer, BulkJobView.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
