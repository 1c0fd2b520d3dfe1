import { Effect, type Option } from "effect"
import { CancelTaskRequest } from "../../domain/Command/Requests.ts"
import { decodeInput } from "../DecodeInput.ts"
import { issue, type IssueOptions, idempotencyKeyOf } from "../Issue.ts"
import { resolveTaskTarget } from "../Target.ts"

export const run = (options: IssueOptions & { readonly task: string; readonly engine: Option.Option<string> }) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const target = yield* resolveTaskTarget(remote, options)
      const payload = yield* decodeInput(CancelTaskRequest, { ...target, ...idempotencyKeyOf(options) })
      return yield* remote.api.commands.cancelTask({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
