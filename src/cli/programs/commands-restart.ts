import { Effect } from "effect"
import { RestartWorkerRequest } from "../../domain/Command/Requests.ts"
import { decodeInput } from "../DecodeInput.ts"
import { issue, type IssueOptions, idempotencyKeyOf } from "../Issue.ts"
import { type WorkerOptions, resolveWorkerTarget } from "../Target.ts"

export const run = (options: IssueOptions & WorkerOptions) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const payload = yield* decodeInput(RestartWorkerRequest, {
        ...(yield* resolveWorkerTarget(remote, options)),
        ...idempotencyKeyOf(options)
      })
      return yield* remote.api.commands.restartWorker({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
