import { Effect, Option } from "effect"
import { RateLimitRequest } from "../../domain/Command/Requests.ts"
import { decodeInput } from "../DecodeInput.ts"
import { reportersOfTaskName, reportersOfWorker } from "../Reporters.ts"
import { issue, type IssueOptions, idempotencyKeyOf } from "../Issue.ts"
import { resolveAgentAndEngine } from "../Target.ts"

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
        onNone: () => reportersOfTaskName(remote, options.taskName),
        onSome: (worker) => reportersOfWorker(remote, worker)
      })
      const payload = yield* decodeInput(RateLimitRequest, {
        ...(yield* resolveAgentAndEngine(remote, options, reporters)),
        task_name: options.taskName,
        rate: options.rate,
        worker_name: Option.getOrNull(options.worker),
        ...idempotencyKeyOf(options)
      })
      return yield* remote.api.commands.rateLimit({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
