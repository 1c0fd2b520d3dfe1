import { Effect, Option } from "effect"
import { RateLimitRequest } from "../../domain/Command/Requests.ts"
import { accepted } from "../Accepted.ts"
import { ofTaskName, ofWorker } from "../Evidence.ts"
import { issue, type IssueOptions, keyOf } from "../Issue.ts"
import { agentAndEngine } from "../Target.ts"

interface Options extends IssueOptions {
  readonly taskName: string
  readonly rate: string
  readonly worker: Option.Option<string>
  readonly engine: Option.Option<string>
}

export const run = (options: Options) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const reporters = Option.match(options.worker, {
        onNone: () => ofTaskName(remote, options.taskName),
        onSome: (worker) => ofWorker(remote, worker)
      })
      const payload = yield* accepted(RateLimitRequest, {
        ...(yield* agentAndEngine(remote, options, reporters)),
        task_name: options.taskName,
        rate: options.rate,
        worker_name: Option.getOrNull(options.worker),
        ...keyOf(options)
      })
      return yield* remote.api.commands.rateLimit({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
