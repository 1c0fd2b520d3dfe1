import { Effect, type Option, Schema } from "effect"
import type { BulkJob, BulkJobAct, BulkJobFilter } from "../../../domain/commands/BulkJob.ts"
import { BulkJobId, caseInsensitiveId } from "../../../domain/kernel/Id.ts"
import type { TaskFacetCounts } from "../../../domain/tasks/Task/Facets.ts"
import { CountFacets, type FilterParams } from "../../../domain/tasks/Task/Filter.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, formatPage } from "../../io/Table.ts"
import { escapeText, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError, OutcomeUnknown } from "../../program/Explain.ts"
import { decodePage, type PageOptions } from "../../remote/PageQuery.ts"
import { type ApiError, type DecodedResponse, printAnswer, type Remote, withRemote } from "../../remote/Remote.ts"
import { watchProgress } from "../../remote/WatchProgress.ts"
import { readFilters, type TaskFilters } from "../../tasks/TaskQuery.ts"

interface RemoteOptions {
  readonly project: Option.Option<string>
  readonly json: boolean
}

type Filters = Pick<TaskFilters, "state" | "priority" | "name" | "queue" | "worker" | "since" | "until" | "query">

interface CreationOptions extends RemoteOptions {
  readonly filters: Filters
  readonly yes: boolean
  readonly watch: boolean
}

type Answer = DecodedResponse<BulkJob>

const noFilter = new CliError({
  usage: true,
  message: "name at least one filter, such as --queue or --query; without one all tasks would match"
})

/** The terms that were given, by the rules of the list of tasks. */
const decodeFilters = (filters: Filters) =>
  Effect.gen(function*() {
    const terms = yield* readFilters(filters)
    if (Object.keys(terms).length === 0) return yield* noFilter
    return yield* decodeInput(CountFacets, terms, "options")
  })

const toBody = (terms: FilterParams): BulkJobFilter => ({
  task_ids: null,
  filter_state: terms.state ?? null,
  filter_priority: terms.priority ?? null,
  filter_search: null,
  filter_name: terms.name ?? null,
  filter_queue: terms.queue ?? null,
  filter_worker: terms.worker ?? null,
  filter_since: terms.since ?? null,
  filter_until: terms.until ?? null,
  filter_query: terms.query ?? null
})

const formatCount = ({ counted, is_complete }: TaskFacetCounts): string =>
  is_complete ? String(counted) : `at least ${counted}`

const questions: Readonly<Record<BulkJobAct, (count: string) => string>> = {
  delete: (count) => `Delete the records of all tasks that match (now ${count})? This cannot be undone.`,
  cancel: (count) => `Cancel all tasks that match and have not ended (now ${count} match)? This cannot be undone.`
}

const endedOf = ({ done, skipped }: BulkJob): number => done + skipped

const hasEnded = ({ finished_at }: BulkJob): boolean => finished_at !== null

const formatProgress = (job: BulkJob): string => {
  const { act, done, note, outcomes, skipped, total } = job
  const share = total === null || total === 0 ? "" : ` (${Math.min(100, Math.floor((100 * endedOf(job)) / total))} %)`
  return [
    `${endedOf(job)}${total === null ? "" : ` of ${total}`}${share}`,
    `${act === "delete" ? "deleted" : "commanded"} ${done}`,
    ...(skipped === 0 ? [] : [`skipped ${skipped}`]),
    ...(outcomes === null ? [] : [`succeeded ${outcomes.succeeded}`]),
    ...(outcomes === null || outcomes.failed === 0 ? [] : [`failed ${outcomes.failed}`]),
    ...(outcomes === null || outcomes.unknown === 0 ? [] : [`unknown ${outcomes.unknown}`]),
    ...(note === null ? [] : [escapeText(note)])
  ].join("  ")
}

const formatJob = (job: BulkJob, text: string): string =>
  formatFields([
    ["bulk job", job.id],
    ["act", job.act],
    ["status", job.status],
    ["filter", jsonMemberOf(text, "filter")],
    ["matched", job.total],
    [job.act === "delete" ? "deleted" : "commanded", job.done],
    ["skipped", job.skipped],
    ["pending", job.outcomes?.pending ?? null],
    ["succeeded", job.outcomes?.succeeded ?? null],
    ["failed", job.outcomes?.failed ?? null],
    ["unknown", job.outcomes?.unknown ?? null],
    ["created", job.created_at],
    ["deadline", hasEnded(job) ? null : job.deadline_at],
    ["ended", job.finished_at],
    ["note", job.note]
  ])

/** Fails unless everything was done that the job was to do. */
const checkOutcome = ({ id, outcomes, skipped, status }: BulkJob): Effect.Effect<void, CliError | OutcomeUnknown> => {
  if (status !== "completed") return new CliError({ message: `the bulk job ${id} was ${status}` })
  const failed = outcomes?.failed ?? 0
  if (failed + skipped > 0) {
    return new CliError({ message: `of the tasks that matched, ${skipped} were skipped and ${failed} not cancelled` })
  }
  return (outcomes?.unknown ?? 0) > 0
    ? new OutcomeUnknown({ message: `whether ${outcomes?.unknown} tasks were cancelled is unknown` })
    : Effect.void
}

/** Prints the job; with `watch` its progress first. */
const printJob = ({ api, slug }: Remote, answer: Answer, { json, watch }: {
  readonly json: boolean
  readonly watch: boolean
}) =>
  Effect.gen(function*() {
    const { id } = answer[0]
    const last = watch
      ? yield* watchProgress(answer, {
        read: api.bulk_jobs.get({ path: { slug, bulk_job_id: id }, withResponse: true }),
        format: formatProgress,
        isLast: hasEnded,
        interrupted: `stopped watching; the bulk job goes on. svc bulk-jobs show ${id} --watch shows it`
      })
      : answer
    yield* printAnswer(last, json, formatJob)
    if (watch) yield* checkOutcome(last[0])
  })

const createJob = (act: BulkJobAct) => ({ filters, json, project, watch, yes }: CreationOptions) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { api, slug } = remote
      const terms = yield* decodeFilters(filters)
      if (!yes) {
        const counts = yield* api.tasks.facets({ path: { slug }, urlParams: terms })
        yield* confirm(yes, questions[act](formatCount(counts)))
      }
      const request = { path: { slug }, payload: toBody(terms), withResponse: true } as const
      const answer = yield* (act === "delete" ? api.bulk_jobs.delete(request) : api.bulk_jobs.cancel(request))
      yield* printJob(remote, answer, { json, watch })
    }))

export const deleteMatching = createJob("delete")

export const cancelMatching = createJob("cancel")

const callFor = (
  { id, json, project, watch = false }: RemoteOptions & { readonly id: string; readonly watch?: boolean },
  ask: (
    api: Remote["api"],
    path: { readonly slug: string; readonly bulk_job_id: BulkJobId }
  ) => Effect.Effect<Answer, ApiError>
) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const bulk_job_id = yield* Effect.mapError(
        Schema.decode(caseInsensitiveId(BulkJobId))(id),
        () => new CliError({ message: `no such bulk job: ${escapeText(id)}` })
      )
      yield* printJob(remote, yield* ask(remote.api, { slug: remote.slug, bulk_job_id }), { json, watch })
    }))

export const show = (options: RemoteOptions & { readonly id: string; readonly watch: boolean }) =>
  callFor(options, (api, path) => api.bulk_jobs.get({ path, withResponse: true }))

export const stop = (options: RemoteOptions & { readonly id: string }) =>
  callFor(options, (api, path) => api.bulk_jobs.stop({ path, withResponse: true }))

const columns: ReadonlyArray<Column<BulkJob>> = [
  { head: "STATUS", cell: ({ status }) => status },
  { head: "ACT", cell: ({ act }) => act },
  { head: "MATCHED", cell: ({ total }) => total },
  { head: "DONE", cell: ({ done }) => done },
  { head: "SKIPPED", cell: ({ skipped }) => skipped, dropRank: 1 },
  { head: "AGE", cell: ({ created_at }, view) => formatAge(created_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

export const list = ({ json, project, ...page }: RemoteOptions & PageOptions) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const urlParams = yield* decodePage(page)
      const answer = yield* api.bulk_jobs.list({ path: { slug }, urlParams, withResponse: true })
      yield* printAnswer(answer, json, formatPage(columns))
    }))
