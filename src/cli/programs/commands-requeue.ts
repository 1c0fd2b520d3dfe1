import { Effect, type Option } from "effect"
import { RequeueDeadLetterRequest } from "../../domain/Command/Requests.ts"
import { accepted } from "../Accepted.ts"
import { issue, type IssueOptions, keyOf } from "../Issue.ts"
import { targetOf } from "../Target.ts"

export const run = (options: IssueOptions & { readonly task: string; readonly engine: Option.Option<string> }) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const target = yield* targetOf(remote, options)
      const payload = yield* accepted(RequeueDeadLetterRequest, { ...target, ...keyOf(options) })
      return yield* remote.api.commands.requeueDeadLetter({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
