import { Effect } from "effect"
import { RestartWorkerRequest } from "../../domain/Command/Requests.ts"
import { accepted } from "../Accepted.ts"
import { issue, type IssueOptions, keyOf } from "../Issue.ts"
import { agentAndEngine, type WorkerOptions } from "../Target.ts"

export const run = (options: IssueOptions & WorkerOptions) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const payload = yield* accepted(RestartWorkerRequest, {
        ...(yield* agentAndEngine(remote, options)),
        worker_name: options.worker,
        ...keyOf(options)
      })
      return yield* remote.api.commands.restartWorker({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
