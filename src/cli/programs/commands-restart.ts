import { Effect } from "effect"
import { RestartWorkerRequest } from "../../domain/Command/Requests.ts"
import { accepted } from "../Accepted.ts"
import { issue, type IssueOptions, keyOf } from "../Issue.ts"
import { type WorkerOptions, workerTarget } from "../Target.ts"

export const run = (options: IssueOptions & WorkerOptions) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const payload = yield* accepted(RestartWorkerRequest, {
        ...(yield* workerTarget(remote, options)),
        ...keyOf(options)
      })
      return yield* remote.api.commands.restartWorker({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
