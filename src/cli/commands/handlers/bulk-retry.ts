import { Effect, Option } from "effect"
import {
  BulkRetryPreviewRequest,
  BulkRetryRequestCreate,
  type BulkRetryRequestPublic
} from "../../../domain/commands/BulkRetry.ts"
import type { BulkRetryItem } from "../../../domain/commands/BulkRetry/Item.ts"
import type { BulkRetryPreview } from "../../../domain/commands/BulkRetry/Preview.ts"
import { BulkRetryId } from "../../../domain/kernel/Id.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, formatTable, idColumn } from "../../io/Table.ts"
import { escapeText, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list } from "../../remote/Handlers.ts"
import { listPages } from "../../remote/ListAll.ts"
import { decodePage } from "../../remote/PageQuery.ts"
import { type DecodedResponse, printResponse, type Remote } from "../../remote/Remote.ts"
import { resolveId } from "../../remote/ResolveId.ts"
import { getAgent, listAgents } from "../../remote/Target.ts"
import { resolveFingerprint } from "../../tasks/Fingerprint.ts"
import { describeFilter, readFilters, type TaskFilters } from "../../tasks/TaskQuery.ts"
import type { definitions } from "../bulk-retry.ts"
import {
  checkOutcome,
  formatOutcomes,
  hasEnded,
  isQuiet,
  outcomeNames,
  reportFailedAgain,
  watchBulkRetry
} from "../BulkRetryProgress.ts"
import { idempotencyKeyOf } from "../Issue.ts"

/** The name of the tasks; where they have several, what they were chosen by. */
const tasksOf = ({ filter, target_name }: BulkRetryRequestPublic): string => target_name ?? describeFilter(filter)

/** The name of the agent that a bulk retry is for; its id where the agent was deleted. */
const findAgentName = (remote: Remote, { target_agent_id }: BulkRetryRequestPublic) =>
  target_agent_id === null
    ? Effect.succeed(null)
    : Effect.map(
      listAgents(remote),
      (agents) => agents.find(({ id }) => id === target_agent_id)?.name ?? target_agent_id
    )

const formatRequest = (agent: string | null) => (request: BulkRetryRequestPublic, text: string): string => {
  const { counts } = request
  return formatFields([
    ["tasks of", request.target_name],
    ["bulk retry", request.id],
    ["status", request.control_state === "running" ? request.status : `${request.status} (${request.control_state})`],
    ["filter", jsonMemberOf(text, "filter")],
    ["tasks", `${counts.total}${request.capped ? " (the oldest ones; more match)" : ""}`],
    ["retried", counts.succeeded],
    ["of these", formatOutcomes(request)],
    ["not retried", counts.failed],
    ["unknown", counts.unknown],
    ["left out", counts.unobserved],
    ["commanded", counts.claimed],
    ["waiting", counts.pending],
    ["rate", request.rate_per_second === null ? null : `${request.rate_per_second} a second`],
    ["agent", agent],
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

/** Prints the request; with `watch` its progress first, until `isLast`. */
const printRequest = (
  remote: Remote,
  response: DecodedResponse<BulkRetryRequestPublic>,
  { json, watch }: { readonly json: boolean; readonly watch: boolean },
  isLast = hasEnded
) =>
  Effect.gen(function*() {
    const last = watch ? yield* watchBulkRetry(remote, response, isLast) : response
    yield* printResponse(last, json, formatRequest(json ? null : yield* findAgentName(remote, last[0])))
    if (!watch || !hasEnded(last[0])) return
    yield* reportFailedAgain(last[0])
    yield* checkOutcome(last[0])
  })

/** The path of the bulk retry of this id, or part of one. */
const pathOf = ({ api, slug }: Remote, given: string) => {
  const list = Effect.map(
    listPages((urlParams) => api.bulk_retries.list({ path: { slug }, urlParams })),
    (pages) => pages.flatMap(({ items }) => items)
  )
  const sought = { what: "bulk retry", given, nameOf: tasksOf, listedBy: "svc bulk-retry list" }
  return Effect.map(resolveId(BulkRetryId, list, sought), (request_id) => ({ slug, request_id }))
}

interface FilterTerms {
  readonly [term: string]: unknown
  readonly fingerprint?: string
}

/** The filter of a body, from the options of a list of tasks; as there, a search also matches errors. */
const filterOf = ({ priority, ...filters }: TaskFilters) =>
  Effect.map(readFilters(filters), (terms): FilterTerms => ({
    ...terms,
    ...(Option.isSome(filters.search) && { search_exceptions: true }),
    ...(Option.isSome(priority) && { priority: [priority.value] })
  }))

const bothBounds = new CliError({ usage: true, message: "give --max or --all, not both" })

const columns: ReadonlyArray<Column<BulkRetryRequestPublic>> = [
  { head: "TASKS OF", cell: tasksOf, maxLength: 60, minLength: 12 },
  { head: "STATUS", cell: ({ status }) => status },
  { head: "CONTROL", cell: ({ control_state }) => control_state },
  { head: "TASKS", cell: ({ counts }) => counts.total },
  { head: "RETRIED", cell: ({ counts }) => counts.succeeded },
  { head: "FAILED AGAIN", cell: ({ outcomes }) => outcomes?.failed ?? null },
  { head: "NOT RETRIED", cell: ({ counts }) => counts.failed, dropRank: 1 },
  { head: "UNKNOWN", cell: ({ counts }) => counts.unknown, dropRank: 1 },
  { head: "AGE", cell: ({ created_at }, view) => formatAge(created_at, view) },
  idColumn("ID", ({ id }) => id)
]

const itemColumns: ReadonlyArray<Column<BulkRetryItem>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "STATUS", cell: ({ status }) => (status === "succeeded" ? "retried" : status) },
  { head: "OUTCOME", cell: ({ outcome }) => outcome && outcomeNames[outcome], hidesEmpty: true },
  { head: "REASON", cell: ({ reason }) => reason, hidesEmpty: true },
  { head: "ERROR", cell: ({ error }) => error, maxLength: 60, minLength: 10, hidesEmpty: true },
  idColumn("TASK", ({ task_id }) => task_id),
  idColumn("NEW TASK", ({ new_task_id }) => new_task_id, { dropRank: 1, hidesEmpty: true })
]

export const handlers: HandlersOf<typeof definitions> = {
  create: call(function*(remote, { agent, all, dryRun, idempotencyKey, json, max, rate, watch, ...filters }) {
    const { api, slug } = remote
    if (all && Option.isSome(max)) return yield* bothBounds
    const filter = yield* resolveFingerprint(remote, yield* filterOf(filters))
    const agent_id = Option.isNone(agent) ? null : (yield* getAgent(yield* listAgents(remote), agent.value)).id
    const selection = { filter, agent_id, max: all ? null : Option.getOrUndefined(max) }
    if (dryRun) {
      const payload = yield* decodeInput(BulkRetryPreviewRequest, selection)
      const response = yield* api.bulk_retries.preview({ path: { slug }, payload, withResponse: true })
      return yield* printResponse(response, json, formatPreview)
    }
    const payload = yield* decodeInput(BulkRetryRequestCreate, {
      ...selection,
      ...idempotencyKeyOf({ idempotencyKey }),
      rate_per_second: Option.getOrNull(rate)
    })
    const response = yield* api.bulk_retries.create({ path: { slug }, payload, withResponse: true })
    yield* printRequest(remote, response, { json, watch })
  }),
  list: list(columns, function*({ api, slug }, page) {
    return yield* api.bulk_retries.list({ path: { slug }, urlParams: yield* decodePage(page), withResponse: true })
  }),
  show: call(function*(remote, { id, ...printing }) {
    const path = yield* pathOf(remote, id)
    yield* printRequest(remote, yield* remote.api.bulk_retries.get({ path, withResponse: true }), printing)
  }),
  items: list(itemColumns, function*(remote, { id, outcome, status, ...page }) {
    const path = yield* pathOf(remote, id)
    const urlParams = { ...(yield* decodePage(page)), ...givenOf({ outcome, status }) }
    return yield* remote.api.bulk_retries.items({ path, urlParams, withResponse: true })
  }),
  pause: call(function*(remote, { id, ...printing }) {
    const path = yield* pathOf(remote, id)
    yield* printRequest(remote, yield* remote.api.bulk_retries.pause({ path, withResponse: true }), printing, isQuiet)
  }),
  resume: call(function*(remote, { id, rate, ...printing }) {
    const path = yield* pathOf(remote, id)
    const urlParams = givenOf({ rate_per_second: rate })
    yield* printRequest(
      remote,
      yield* remote.api.bulk_retries.resume({ path, urlParams, withResponse: true }),
      printing
    )
  }),
  cancel: call(function*(remote, { id, json }) {
    const response = yield* remote.api.bulk_retries.cancel({ path: yield* pathOf(remote, id), withResponse: true })
    yield* printRequest(remote, response, { json, watch: false })
  })
}
