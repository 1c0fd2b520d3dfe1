import { Effect } from "effect"
import type { BulkJob, BulkJobAction, BulkJobFilter } from "../../../domain/commands/BulkJob.ts"
import { BulkJobId } from "../../../domain/kernel/Id.ts"
import type { TaskFacetCounts } from "../../../domain/tasks/Task/Facets.ts"
import { CountFacets, type FilterParams } from "../../../domain/tasks/Task/Filter.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, idColumn } from "../../io/Table.ts"
import { escapeText, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError, OutcomeUnknown } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import { listPages } from "../../remote/ListAll.ts"
import { decodePage } from "../../remote/PageQuery.ts"
import { type DecodedResponse, printResponse, type Remote } from "../../remote/Remote.ts"
import { resolveId } from "../../remote/ResolveId.ts"
import { watchProgress } from "../../remote/WatchProgress.ts"
import { describeFilter, readFilters } from "../../tasks/TaskQuery.ts"
import type { definitions } from "../bulk-jobs.ts"

type Creation = OptionsOf<typeof definitions.delete>

const noFilter = new CliError({
  usage: true,
  message: "name at least one filter, such as --queue or --query; without one all tasks would match"
})

/** The given terms, by the rules of the list of tasks. */
const decodeFilters = (filters: Creation["filters"]) =>
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

const questions: Readonly<Record<BulkJobAction, (count: string) => string>> = {
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
const printJob = (
  { api, slug }: Remote,
  response: DecodedResponse<BulkJob>,
  { json, watch }: Pick<Creation, "json" | "watch">
) =>
  Effect.gen(function*() {
    if (!watch) return yield* printResponse(response, json, formatJob)
    const { id } = response[0]
    const last = yield* watchProgress(response, {
      read: api.bulk_jobs.get({ path: { slug, bulk_job_id: id }, withResponse: true }),
      format: formatProgress,
      isLast: hasEnded,
      interrupted: `stopped watching; the bulk job goes on. svc bulk-jobs show ${id} --watch shows it`
    })
    yield* printResponse(last, json, formatJob)
    yield* checkOutcome(last[0])
  })

const createJob = (action: BulkJobAction) =>
  call(function*(remote, { filters, yes, ...printing }: Creation) {
    const { api, slug } = remote
    const terms = yield* decodeFilters(filters)
    if (!yes) {
      const counts = yield* api.tasks.facets({ path: { slug }, urlParams: terms })
      yield* confirm(yes, questions[action](formatCount(counts)))
    }
    const request = { path: { slug }, payload: toBody(terms), withResponse: true } as const
    yield* printJob(remote, yield* api.bulk_jobs[action](request), printing)
  })

const describeJob = ({ act, filter }: BulkJob): string => `${act} ${describeFilter(filter)}`

/** The path of the bulk job of this id, or part of one. */
const pathOf = ({ api, slug }: Remote, given: string) => {
  const list = Effect.map(
    listPages((urlParams) => api.bulk_jobs.list({ path: { slug }, urlParams })),
    (pages) => pages.flatMap(({ items }) => items)
  )
  const sought = { what: "bulk job", given, nameOf: describeJob, listedBy: "svc bulk-jobs list" }
  return Effect.map(resolveId(BulkJobId, list, sought), (bulk_job_id) => ({ slug, bulk_job_id }))
}

const columns: ReadonlyArray<Column<BulkJob>> = [
  { head: "TASKS OF", cell: ({ filter }) => describeFilter(filter), maxLength: 60, minLength: 12 },
  { head: "ACT", cell: ({ act }) => act },
  { head: "STATUS", cell: ({ status }) => status },
  { head: "MATCHED", cell: ({ total }) => total },
  { head: "DONE", cell: ({ done }) => done },
  { head: "SKIPPED", cell: ({ skipped }) => skipped, dropRank: 1 },
  { head: "AGE", cell: ({ created_at }, view) => formatAge(created_at, view) },
  idColumn("ID", ({ id }) => id)
]

export const handlers: HandlersOf<typeof definitions> = {
  delete: createJob("delete"),
  cancel: createJob("cancel"),
  list: list(columns, function*({ api, slug }, page) {
    return yield* api.bulk_jobs.list({ path: { slug }, urlParams: yield* decodePage(page), withResponse: true })
  }),
  show: call(function*(remote, { id, ...printing }) {
    const path = yield* pathOf(remote, id)
    yield* printJob(remote, yield* remote.api.bulk_jobs.get({ path, withResponse: true }), printing)
  }),
  stop: show(function*(remote, { id }) {
    return yield* remote.api.bulk_jobs.stop({ path: yield* pathOf(remote, id), withResponse: true })
  }, formatJob)
}
