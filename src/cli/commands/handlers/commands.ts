import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, Option, type Schema } from "effect"
import type { CommandPublic, CommandStatus } from "../../../domain/commands/Command.ts"
import {
  BulkRetryRequest,
  CancelTaskRequest,
  ConsumerRequest,
  PoolResizeRequest,
  PurgeQueueRequest,
  RateLimitRequest,
  RequeueDeadLetterRequest,
  RestartWorkerRequest,
  RetryTaskRequest
} from "../../../domain/commands/Command/Requests.ts"
import { client } from "../../../http/Client.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, formatPage } from "../../io/Table.ts"
import { jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { decodePage } from "../../remote/PageQuery.ts"
import {
  type ApiError,
  type DecodedResponse,
  printAnswer,
  type Remote,
  withRemote,
  withTimeout
} from "../../remote/Remote.ts"
import { reportersOfTaskName, reportersOfWorker } from "../../remote/Reporters.ts"
import {
  type EngineOptions,
  resolveAgentAndEngine,
  resolveTaskTarget,
  resolveWorkerTarget,
  type WorkerOptions
} from "../../remote/Target.ts"
import { resolveBulkRetry } from "../BulkRetry.ts"
import {
  callForCommand,
  type CommandOptions,
  formatCommand,
  idempotencyKeyOf,
  issue,
  type IssueOptions
} from "../Issue.ts"
import { resolvePurge } from "../Purge.ts"

const columns: ReadonlyArray<Column<CommandPublic>> = [
  { head: "STATUS", cell: ({ status }) => status },
  { head: "ACTION", cell: ({ action }) => action },
  { head: "TARGET", cell: ({ target_id }) => target_id, minLength: 8, dropRank: 1 },
  { head: "AGE", cell: ({ issued_at }, view) => formatAge(issued_at, view) },
  { head: "ERROR", cell: ({ error }) => error, maxLength: 60, minLength: 10, hidesEmpty: true },
  { head: "ID", cell: ({ id }) => id }
]

export const list = ({ cursor, json, limit, project, status }: {
  readonly status: Option.Option<CommandStatus>
  readonly cursor: Option.Option<string>
  readonly limit: number
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const urlParams = {
        ...(yield* decodePage({ cursor, limit })),
        ...(Option.isSome(status) && { status: status.value })
      }
      const answer = yield* api.commands.list({ path: { slug }, urlParams, withResponse: true })
      yield* printAnswer(answer, json, formatPage(columns))
    }))

const formatCommandFields = (command: CommandPublic, text: string): string =>
  formatFields([
    ["command", command.id],
    ["action", command.action],
    ["target", command.target_id],
    ["status", command.status],
    ["agent", command.agent_id],
    ["issued", command.issued_at],
    ["dispatched", command.dispatched_at],
    ["ended", command.completed_at],
    ["payload", jsonMemberOf(text, "payload")],
    ["result", jsonMemberOf(text, "result")],
    ["error", command.error],
    ["note", command.note]
  ])

export const show = (options: CommandOptions) =>
  callForCommand(options, (api, path) => api.commands.get({ path, withResponse: true }), formatCommandFields)

export const withdraw = (options: CommandOptions) =>
  callForCommand(options, (api, path) => api.commands.cancel({ path, withResponse: true }), formatCommand)

/** The handler of a command that is one request: its body's schema, how the options become the body, and its endpoint. */
const action = <Options, A, R, I extends { readonly idempotency_key?: string | null | undefined }>(
  request: Schema.Schema<A, I>,
  resolveBody: (remote: Remote, options: Options) => Effect.Effect<Omit<I, "idempotency_key">, ApiError | CliError, R>,
  endpointOf: (commands: Remote["api"]["commands"]) => (
    call: { readonly path: { readonly slug: string }; readonly payload: A; readonly withResponse: true }
  ) => Effect.Effect<DecodedResponse<CommandPublic>, ApiError>
) =>
(options: IssueOptions & Options) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const body = yield* resolveBody(remote, options)
      const input = { ...body, ...idempotencyKeyOf(options) } as unknown as I // I without its key, and the key: TypeScript does not see that this is I
      const payload = yield* decodeInput(request, input)
      return yield* endpointOf(remote.api.commands)({ path: { slug: remote.slug }, payload, withResponse: true })
    }))

const sizeMissing = new CliError({ usage: true, message: "give --grow or --shrink with a number from 0 to 100" })

const resolvePoolResize = (
  remote: Remote,
  options: WorkerOptions & { readonly grow: Option.Option<number>; readonly shrink: Option.Option<number> }
) =>
  Effect.gen(function*() {
    const { grow, shrink } = options
    if (Option.isSome(grow) === Option.isSome(shrink)) return yield* sizeMissing
    const size = Option.getOrElse(grow, () => Option.getOrElse(shrink, () => 0))
    if (size < 0 || size > 100) return yield* sizeMissing
    return { ...(yield* resolveWorkerTarget(remote, options)), delta: Option.isSome(grow) ? size : -size }
  })

const resolveConsumer = (remote: Remote, options: WorkerOptions & { readonly queue: string }) =>
  Effect.map(resolveWorkerTarget(remote, options), (target) => ({ ...target, queue: options.queue }))

const resolveRateLimit = (
  remote: Remote,
  options: EngineOptions & { readonly taskName: string; readonly rate: string; readonly worker: Option.Option<string> }
) => {
  const reporters = Option.match(options.worker, {
    onNone: () => reportersOfTaskName(remote, options.taskName),
    onSome: (worker) => reportersOfWorker(remote, worker)
  })
  return Effect.map(resolveAgentAndEngine(remote, options, reporters), (target) => ({
    ...target,
    task_name: options.taskName,
    rate: options.rate,
    worker_name: Option.getOrNull(options.worker)
  }))
}

/** The commands to agents that are one request each. `retry` is not: it sends its overrides as they were typed. */
export const actions = {
  cancel: action(CancelTaskRequest, resolveTaskTarget, (commands) => commands.cancelTask),
  requeue: action(RequeueDeadLetterRequest, resolveTaskTarget, (commands) => commands.requeueDeadLetter),
  bulkRetry: action(BulkRetryRequest, resolveBulkRetry, (commands) => commands.bulkRetry),
  purge: action(PurgeQueueRequest, resolvePurge, (commands) => commands.purgeQueue),
  restart: action(RestartWorkerRequest, resolveWorkerTarget, (commands) => commands.restartWorker),
  poolResize: action(PoolResizeRequest, resolvePoolResize, (commands) => commands.poolResize),
  addConsumer: action(ConsumerRequest, resolveConsumer, (commands) => commands.addConsumer),
  cancelConsumer: action(ConsumerRequest, resolveConsumer, (commands) => commands.cancelConsumer),
  rateLimit: action(RateLimitRequest, resolveRateLimit, (commands) => commands.rateLimit)
}

interface RetryOptions extends IssueOptions {
  readonly task: string
  readonly engine: Option.Option<string>
  readonly args: Option.Option<string>
  readonly kwargs: Option.Option<string>
  readonly etaSeconds: Option.Option<number>
  readonly force: boolean
}

const parseJsonOption = (option: string, given: Option.Option<string>): Effect.Effect<unknown, CliError> =>
  Option.match(given, {
    onNone: () => Effect.succeed(null),
    onSome: (text) =>
      Effect.try({
        try: () => JSON.parse(text) as unknown, // JSON.parse says any
        catch: () => new CliError({ usage: true, message: `${option} is not JSON` })
      })
  })

/** The body with the overrides as they were typed. JSON.parse and JSON.stringify would change large numbers. */
const bodyOf = (request: typeof RetryTaskRequest.Encoded, { args, kwargs }: RetryOptions): string => {
  const { override_args: _args, override_kwargs: _kwargs, ...rest } = request
  const overrides = [
    ...(Option.isSome(args) ? [`"override_args":${args.value}`] : []),
    ...(Option.isSome(kwargs) ? [`"override_kwargs":${kwargs.value}`] : [])
  ]
  return `${JSON.stringify(rest).slice(0, -1)}${overrides.map((member) => `,${member}`).join("")}}`
}

/** The brain takes both overrides or neither (interface, retry-task). */
const overrideMissing = (given: string, missing: string) =>
  new CliError({
    usage: true,
    message: `${given} needs ${missing} too: a retry takes both, ${missing} '${
      missing === "--args" ? "[]" : "{}"
    }' for none, or neither`
  })

export const retry = (options: RetryOptions) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      if (Option.isSome(options.args) && Option.isNone(options.kwargs)) {
        return yield* overrideMissing("--args", "--kwargs")
      }
      if (Option.isSome(options.kwargs) && Option.isNone(options.args)) {
        return yield* overrideMissing("--kwargs", "--args")
      }
      const override_args = yield* parseJsonOption("--args", options.args)
      const override_kwargs = yield* parseJsonOption("--kwargs", options.kwargs)
      const request = {
        ...(yield* resolveTaskTarget(remote, options)),
        override_args: override_args as ReadonlyArray<unknown> | null, // checked just below, with all else
        override_kwargs: override_kwargs as Readonly<Record<string, unknown>> | null,
        eta_seconds: Option.getOrNull(options.etaSeconds),
        ...(options.force && { force: true }),
        ...idempotencyKeyOf(options)
      }
      const payload = yield* decodeInput(RetryTaskRequest, request)
      const asTyped = HttpClient.mapRequest(HttpClientRequest.bodyText(bodyOf(request, options), "application/json"))
      const { apiKey, url } = remote.access
      const api = yield* client({
        baseUrl: url,
        apiKey,
        transform: (self) => asTyped(withTimeout(self))
      })
      return yield* api.commands.retryTask({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
