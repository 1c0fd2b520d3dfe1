import { Effect } from "effect"
import { ConsumerRequest } from "../../domain/Command/Requests.ts"
import { accepted } from "../Accepted.ts"
import { issue, type IssueOptions, keyOf } from "../Issue.ts"
import { agentAndEngine, type WorkerOptions } from "../Target.ts"

export const run = (options: IssueOptions & WorkerOptions & { readonly queue: string }) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const payload = yield* accepted(ConsumerRequest, {
        ...(yield* agentAndEngine(remote, options)),
        worker_name: options.worker,
        queue: options.queue,
        ...keyOf(options)
      })
      return yield* remote.api.commands.addConsumer({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
