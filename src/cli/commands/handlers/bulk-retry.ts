import { Effect, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import {
  BulkRetryPreviewRequest,
  BulkRetryRequestCreate,
  type BulkRetryRequestPublic
} from "../../../domain/commands/BulkRetry.ts"
import type { BulkRetryItem, ItemStatus } from "../../../domain/commands/BulkRetry/Item.ts"
import type { BulkRetryPreview } from "../../../domain/commands/BulkRetry/Preview.ts"
import { BulkRetryId, caseInsensitiveId } from "../../../domain/kernel/Id.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, formatPage, formatTable } from "../../io/Table.ts"
import { escapeText, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { decodePage, type PageOptions } from "../../remote/PageQuery.ts"
import { type ApiError, type DecodedResponse, printAnswer, type Remote, withRemote } from "../../remote/Remote.ts"
import { getAgent, listAgents } from "../../remote/Target.ts"
import { readFilters, type TaskFilters } from "../../tasks/TaskQuery.ts"
import { checkOutcome, hasEnded, isQuiet, watchBulkRetry } from "../BulkRetryProgress.ts"

interface RemoteOptions {
  readonly project: Option.Option<string>
  readonly json: boolean
}

interface RequestOptions extends RemoteOptions {
  readonly id: string
}

type Answer = DecodedResponse<BulkRetryRequestPublic>

const formatRequest = (request: BulkRetryRequestPublic, text: string): string => {
  const { counts } = request
  return formatFields([
    ["bulk retry", request.id],
    ["status", request.control_state === "running" ? request.status : `${request.status} (${request.control_state})`],
    ["filter", jsonMemberOf(text, "filter")],
    ["tasks", `${counts.total}${request.capped ? " (the oldest ones; more match)" : ""}`],
    ["succeeded", counts.succeeded],
    ["failed", counts.failed],
    ["unknown", counts.unknown],
    ["left out", counts.unobserved],
    ["commanded", counts.claimed],
    ["waiting", counts.pending],
    ["rate", request.rate_per_second === null ? null : `${request.rate_per_second} a second`],
    ["agent", request.target_agent_id],
    ["created", request.created_at],
    ["last progress", request.last_progress_at],
    ["deadline", request.finished_at === null ? request.deadline_at : null],
    ["ended", request.finished_at],
    ["note", request.note]
  ])
}

const formatPreview = ({ capped, engines, exceptions, names, total }: BulkRetryPreview): string => {
  const groups = (head: string, rows: ReadonlyArray<readonly [string, number]>) =>
    formatTable<readonly [string, number]>(
      [
        { head, cell: ([name]) => name },
        { head: "TASKS", cell: ([, count]) => count }
      ],
      rows,
      { nowMillis: 0, columns: Infinity }
    )
  return [
    `${total} tasks${capped ? ", the oldest ones; more match" : ""}`,
    ...(total === 0 ? [] : [
      groups("NAME", names.map(({ count, name }) => [name, count])),
      groups("EXCEPTION", exceptions.map(({ count, exception }) => [exception ?? "none", count])),
      groups("ENGINE", engines.map(({ count, engine }) => [engine, count]))
    ]),
    ...engines.flatMap(({ engine, note }) => (note === null ? [] : [`${engine}: ${escapeText(note)}`]))
  ].join("\n\n")
}

interface PrintOptions {
  readonly json: boolean
  readonly watch: boolean
  /** When watching ends; default: once the request has ended. */
  readonly isLast?: (request: BulkRetryRequestPublic) => boolean
}

/** Prints the request; with `watch` its progress first. */
const printRequest = (remote: Remote, answer: Answer, { isLast = hasEnded, json, watch }: PrintOptions) =>
  Effect.gen(function*() {
    const last = watch ? yield* watchBulkRetry(remote, answer, isLast) : answer
    yield* printAnswer(last, json, formatRequest)
    if (watch && hasEnded(last[0])) yield* checkOutcome(last[0])
  })

const parseId = (given: string): Effect.Effect<BulkRetryId, CliError> =>
  Effect.mapError(
    Schema.decode(caseInsensitiveId(BulkRetryId))(given),
    () => new CliError({ message: `no such bulk retry: ${escapeText(given)}` })
  )

/** The filter of a body, from the options of a list of tasks; as there, a search also matches errors. */
const filterOf = ({ priority, ...filters }: TaskFilters) =>
  Effect.map(readFilters(filters), (terms): Record<string, unknown> => ({
    ...terms,
    ...(Option.isSome(filters.search) && { search_exceptions: true }),
    ...(Option.isSome(priority) && { priority: [priority.value] })
  }))

const bothBounds = new CliError({ usage: true, message: "give --max or --all, not both" })

export const create = (
  { agent, all, dryRun, idempotencyKey, json, max, project, rate, watch, ...filters }: RemoteOptions & TaskFilters & {
    readonly max: Option.Option<number>
    readonly all: boolean
    readonly rate: Option.Option<number>
    readonly agent: Option.Option<string>
    readonly idempotencyKey: Option.Option<string>
    readonly dryRun: boolean
    readonly watch: boolean
  }
) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { api, slug } = remote
      if (all && Option.isSome(max)) return yield* bothBounds
      const filter = yield* filterOf(filters)
      const agent_id = Option.isNone(agent) ? null : (yield* getAgent(yield* listAgents(remote), agent.value)).id
      const selection = { filter, agent_id, max: all ? null : Option.getOrUndefined(max) }
      if (dryRun) {
        const payload = yield* decodeInput(BulkRetryPreviewRequest, selection)
        const answer = yield* api.bulk_retries.preview({ path: { slug }, payload, withResponse: true })
        return yield* printAnswer(answer, json, formatPreview)
      }
      const payload = yield* decodeInput(BulkRetryRequestCreate, {
        ...selection,
        idempotency_key: Option.getOrElse(idempotencyKey, () => randomUUID()),
        rate_per_second: Option.getOrNull(rate)
      })
      const answer = yield* api.bulk_retries.create({ path: { slug }, payload, withResponse: true })
      yield* printRequest(remote, answer, { json, watch })
    }))

const callFor = <R>(
  { id, project, watch = false, ...printing }: RequestOptions & Partial<PrintOptions>,
  ask: (
    api: Remote["api"],
    path: { readonly slug: string; readonly request_id: BulkRetryId }
  ) => Effect.Effect<Answer, ApiError, R>
) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const request_id = yield* parseId(id)
      yield* printRequest(remote, yield* ask(remote.api, { slug: remote.slug, request_id }), { ...printing, watch })
    }))

export const show = (options: RequestOptions & { readonly watch: boolean }) =>
  callFor(options, (api, path) => api.bulk_retries.get({ path, withResponse: true }))

export const pause = (options: RequestOptions & { readonly watch: boolean }) =>
  callFor({ ...options, isLast: isQuiet }, (api, path) => api.bulk_retries.pause({ path, withResponse: true }))

export const resume = (options: RequestOptions & { readonly watch: boolean; readonly rate: Option.Option<number> }) =>
  callFor(options, (api, path) =>
    api.bulk_retries.resume({
      path,
      urlParams: Option.isSome(options.rate) ? { rate_per_second: options.rate.value } : {},
      withResponse: true
    }))

export const cancel = (options: RequestOptions) =>
  callFor(options, (api, path) => api.bulk_retries.cancel({ path, withResponse: true }))

const columns: ReadonlyArray<Column<BulkRetryRequestPublic>> = [
  { head: "STATUS", cell: ({ status }) => status },
  { head: "CONTROL", cell: ({ control_state }) => control_state },
  { head: "TASKS", cell: ({ counts }) => counts.total },
  { head: "SUCCEEDED", cell: ({ counts }) => counts.succeeded },
  { head: "FAILED", cell: ({ counts }) => counts.failed, dropRank: 1 },
  { head: "UNKNOWN", cell: ({ counts }) => counts.unknown, dropRank: 1 },
  { head: "AGE", cell: ({ created_at }, view) => formatAge(created_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

export const list = ({ json, project, ...page }: RemoteOptions & PageOptions) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const urlParams = yield* decodePage(page)
      const answer = yield* api.bulk_retries.list({ path: { slug }, urlParams, withResponse: true })
      yield* printAnswer(answer, json, formatPage(columns))
    }))

const itemColumns: ReadonlyArray<Column<BulkRetryItem>> = [
  { head: "STATUS", cell: ({ status }) => status },
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "TASK", cell: ({ task_id }) => task_id },
  { head: "NEW TASK", cell: ({ new_task_id }) => new_task_id, dropRank: 1, hidesEmpty: true },
  { head: "REASON", cell: ({ reason }) => reason, hidesEmpty: true },
  { head: "ERROR", cell: ({ error }) => error, maxLength: 60, minLength: 10, hidesEmpty: true }
]

export const items = (
  { id, json, project, status, ...page }: RequestOptions & PageOptions & { readonly status: Option.Option<ItemStatus> }
) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const request_id = yield* parseId(id)
      const urlParams = { ...(yield* decodePage(page)), ...(Option.isSome(status) && { status: status.value }) }
      const answer = yield* api.bulk_retries.items({ path: { slug, request_id }, urlParams, withResponse: true })
      yield* printAnswer(answer, json, formatPage(itemColumns))
    }))
