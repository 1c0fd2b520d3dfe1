import { Effect, type Schema } from "effect"
import type { CommandPublic } from "../../domain/commands/Command.ts"
import { decodeInput } from "../io/DecodeInput.ts"
import type { CliError } from "../program/Explain.ts"
import type { ApiError, DecodedResponse, Remote } from "../remote/Remote.ts"
import { idempotencyKeyOf, issue, type IssueOptions } from "./Issue.ts"

/** The handler of a command that is one request: its body's schema, how the options become the body, and its endpoint. */
export const action = <Options, A, R, I extends { readonly idempotency_key?: string | null | undefined }>(
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
