import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { RetryTaskRequest } from "../../domain/Command/Requests.ts"
import { client } from "../../http/Client.ts"
import { decodeInput } from "../DecodeInput.ts"
import { Refused } from "../Explain.ts"
import { issue, type IssueOptions, idempotencyKeyOf } from "../Issue.ts"
import { withTimeout } from "../Remote.ts"
import { resolveTaskTarget } from "../Target.ts"

interface Options extends IssueOptions {
  readonly task: string
  readonly engine: Option.Option<string>
  readonly args: Option.Option<string>
  readonly kwargs: Option.Option<string>
  readonly etaSeconds: Option.Option<number>
}

const parseJsonOption = (option: string, given: Option.Option<string>): Effect.Effect<unknown, Refused> =>
  Option.match(given, {
    onNone: () => Effect.succeed(null),
    onSome: (text) =>
      Effect.try({
        try: () => JSON.parse(text) as unknown, // JSON.parse says any
        catch: () => new Refused({ usage: true, message: `${option} is not JSON` })
      })
  })

/** The body with the overrides as they were typed: parsed and printed again, a large number would be another one. */
const bodyOf = (request: typeof RetryTaskRequest.Encoded, { args, kwargs }: Options): string => {
  const { override_args: _args, override_kwargs: _kwargs, ...rest } = request
  const overrides = [
    ...(Option.isSome(args) ? [`"override_args":${args.value}`] : []),
    ...(Option.isSome(kwargs) ? [`"override_kwargs":${kwargs.value}`] : [])
  ]
  return `${JSON.stringify(rest).slice(0, -1)}${overrides.map((member) => `,${member}`).join("")}}`
}

/** The brain takes both overrides or neither (interface, retry-task). */
const overrideMissing = (given: string, missing: string) =>
  new Refused({ usage: true, message: `${given} needs ${missing} too: a retry takes both, ${missing} '${missing === "--args" ? "[]" : "{}"}' for none, or neither` })

export const run = (options: Options) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      if (Option.isSome(options.args) && Option.isNone(options.kwargs)) return yield* overrideMissing("--args", "--kwargs")
      if (Option.isSome(options.kwargs) && Option.isNone(options.args)) return yield* overrideMissing("--kwargs", "--args")
      const override_args = yield* parseJsonOption("--args", options.args)
      const override_kwargs = yield* parseJsonOption("--kwargs", options.kwargs)
      const request = {
        ...(yield* resolveTaskTarget(remote, options)),
        override_args: override_args as ReadonlyArray<unknown> | null, // checked just below, with all else
        override_kwargs: override_kwargs as Readonly<Record<string, unknown>> | null,
        eta_seconds: Option.getOrNull(options.etaSeconds),
        ...idempotencyKeyOf(options)
      }
      const payload = yield* decodeInput(RetryTaskRequest, request)
      const asTyped = HttpClient.mapRequest(HttpClientRequest.bodyText(bodyOf(request, options), "application/json"))
      const { apiKey, url } = remote.access
      const api = yield* client({ baseUrl: url, apiKey, transform: (self) => asTyped(withTimeout(self)) })
      return yield* api.commands.retryTask({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
