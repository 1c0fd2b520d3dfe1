import { Effect, Option } from "effect"
import { PoolResizeRequest } from "../../domain/Command/Requests.ts"
import { decodeInput } from "../DecodeInput.ts"
import { Refused } from "../Explain.ts"
import { issue, type IssueOptions, idempotencyKeyOf } from "../Issue.ts"
import { type WorkerOptions, resolveWorkerTarget } from "../Target.ts"

interface Options extends IssueOptions, WorkerOptions {
  readonly grow: Option.Option<number>
  readonly shrink: Option.Option<number>
}

const sizeMissing = new Refused({ usage: true, message: "give --grow or --shrink with a number from 1 to 100" })

const deltaOf = ({ grow, shrink }: Options): Effect.Effect<number, Refused> => {
  if (Option.isSome(grow) === Option.isSome(shrink)) return sizeMissing
  const size = Option.getOrElse(grow, () => Option.getOrElse(shrink, () => 0))
  if (size < 1 || size > 100) return sizeMissing
  return Effect.succeed(Option.isSome(grow) ? size : -size)
}

export const run = (options: Options) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const delta = yield* deltaOf(options)
      const target = yield* resolveWorkerTarget(remote, options)
      const payload = yield* decodeInput(PoolResizeRequest, { ...target, delta, ...idempotencyKeyOf(options) })
      return yield* remote.api.commands.poolResize({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
