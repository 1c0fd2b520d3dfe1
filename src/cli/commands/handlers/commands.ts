import { Effect, Option } from "effect"
import type { CommandPublic } from "../../../domain/commands/Command.ts"
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
import { CommandId } from "../../../domain/kernel/Id.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, idColumn } from "../../io/Table.ts"
import { jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { list, show } from "../../remote/Handlers.ts"
import { decodePage } from "../../remote/PageQuery.ts"
import { clientSending, type Remote } from "../../remote/Remote.ts"
import { reportersOfTaskName, reportersOfWorker } from "../../remote/Reporters.ts"
import { resolveId } from "../../remote/ResolveId.ts"
import {
  resolveAgentAndEngine,
  resolveTaskTarget,
  resolveWorkerTarget,
  type WorkerOptions
} from "../../remote/Target.ts"
import { action } from "../Action.ts"
import { resolveBulkRetry } from "../BulkRetry.ts"
import type { definitions } from "../commands.ts"
import { formatCommand, idempotencyKeyOf, issue, targetOf } from "../Issue.ts"
import { resolvePurge } from "../Purge.ts"

const columns: ReadonlyArray<Column<CommandPublic>> = [
  { head: "TARGET", cell: targetOf, maxLength: 60, minLength: 12 },
  { head: "ACTION", cell: ({ action }) => action },
  { head: "STATUS", cell: ({ status }) => status },
  { head: "AGENT", cell: ({ agent_name }) => agent_name, maxLength: 30, minLength: 8, dropRank: 1, hidesEmpty: true },
  { head: "AGE", cell: ({ issued_at }, view) => formatAge(issued_at, view) },
  { head: "ERROR", cell: ({ error }) => error, maxLength: 60, minLength: 10, hidesEmpty: true },
  idColumn("ID", ({ id }) => id)
]

const formatCommandFields = (command: CommandPublic, text: string): string =>
  formatFields([
    ["action", command.action],
    ["target", targetOf(command)],
    [`${command.target_type} id`, command.target_id === targetOf(command) ? null : command.target_id],
    ["command", command.id],
    ["status", command.status],
    ["agent", command.agent_name ?? command.agent_id],
    ["issued", command.issued_at],
    ["dispatched", command.dispatched_at],
    ["ended", command.completed_at],
    ["payload", jsonMemberOf(text, "payload")],
    ["result", jsonMemberOf(text, "result")],
    ["error", command.error],
    ["note", command.note]
  ])

const isHexPart = /^[0-9a-f-]{1,36}$/i

/** The most candidates that are read: more than a message lists. */
const maxCandidates = 20

/** The path of the command of this id, or part of one. */
const pathOf = ({ api, slug }: Remote, given: string) => {
  const urlParams = { id: given.toLowerCase(), limit: maxCandidates }
  const list = isHexPart.test(given)
    ? Effect.map(api.commands.list({ path: { slug }, urlParams }), ({ items }) => items)
    : Effect.succeed([])
  const nameOf = (command: CommandPublic) => `${command.action} of ${targetOf(command) ?? "several"}`
  const sought = { what: "command", given, nameOf, listedBy: "svc commands list" }
  return Effect.map(resolveId(CommandId, list, sought), (command_id) => ({ slug, command_id }))
}

const sizeMissing = new CliError({ usage: true, message: "give --grow or --shrink with a number from 0 to 100" })

const resolvePoolResize = (remote: Remote, options: OptionsOf<(typeof definitions)["pool-resize"]>) =>
  Effect.gen(function*() {
    const { grow, shrink } = options
    if (Option.isSome(grow) === Option.isSome(shrink)) return yield* sizeMissing
    const size = Option.getOrElse(grow, () => Option.getOrElse(shrink, () => 0))
    if (size < 0 || size > 100) return yield* sizeMissing
    return { ...(yield* resolveWorkerTarget(remote, options)), delta: Option.isSome(grow) ? size : -size }
  })

const resolveConsumer = (remote: Remote, options: WorkerOptions & { readonly queue: string }) =>
  Effect.map(resolveWorkerTarget(remote, options), (target) => ({ ...target, queue: options.queue }))

const resolveRateLimit = (remote: Remote, options: OptionsOf<(typeof definitions)["rate-limit"]>) => {
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

type RetryOptions = OptionsOf<typeof definitions.retry>

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

/** Sends its overrides as they were typed. */
const retry = (options: RetryOptions) =>
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
      const api = yield* clientSending(remote, bodyOf(request, options))
      return yield* api.commands.retryTask({ path: { slug: remote.slug }, payload, withResponse: true })
    }))

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, function*({ api, slug }, { status, ...page }) {
    const urlParams = { ...(yield* decodePage(page)), ...givenOf({ status }) }
    return yield* api.commands.list({ path: { slug }, urlParams, withResponse: true })
  }),
  show: show(function*(remote, { commandId }) {
    return yield* remote.api.commands.get({ path: yield* pathOf(remote, commandId), withResponse: true })
  }, formatCommandFields),
  withdraw: show(function*(remote, { commandId }) {
    return yield* remote.api.commands.cancel({ path: yield* pathOf(remote, commandId), withResponse: true })
  }, formatCommand),
  retry,
  cancel: action(CancelTaskRequest, resolveTaskTarget, (commands) => commands.cancelTask),
  requeue: action(RequeueDeadLetterRequest, resolveTaskTarget, (commands) => commands.requeueDeadLetter),
  "bulk-retry": action(BulkRetryRequest, resolveBulkRetry, (commands) => commands.bulkRetry),
  purge: action(PurgeQueueRequest, resolvePurge, (commands) => commands.purgeQueue),
  restart: action(RestartWorkerRequest, resolveWorkerTarget, (commands) => commands.restartWorker),
  "pool-resize": action(PoolResizeRequest, resolvePoolResize, (commands) => commands.poolResize),
  "add-consumer": action(ConsumerRequest, resolveConsumer, (commands) => commands.addConsumer),
  "cancel-consumer": action(ConsumerRequest, resolveConsumer, (commands) => commands.cancelConsumer),
  "rate-limit": action(RateLimitRequest, resolveRateLimit, (commands) => commands.rateLimit)
}
