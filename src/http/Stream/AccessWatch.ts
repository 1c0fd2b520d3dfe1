import type { HttpServerRequest } from "@effect/platform"
import { Deferred, Effect, Equal, Hash, Queue, RcMap } from "effect"
import type { AccessRule } from "../../domain/Access.ts"
import type { Person } from "../../domain/Actor.ts"
import { makeHintRoutes } from "../../services/HintRoutes.ts"
import * as Ids from "../../services/Ids.ts"
import { Authorize } from "../middleware/Authorize.ts"

/** Access is checked this often, should the hint that it ended be lost. */
const checkInterval = "15 seconds"

/** The streams that one credential opened from one address in one project, told apart by `id`. */
class Viewer implements Equal.Equal {
  readonly id: string
  readonly hints: ReadonlyArray<string>
  readonly check: Effect.Effect<unknown, unknown>

  constructor(id: string, hints: ReadonlyArray<string>, check: Effect.Effect<unknown, unknown>) {
    this.id = id
    this.hints = hints
    this.check = check
  }
  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Viewer && that.id === this.id
  }
  [Hash.symbol](): number {
    return Hash.string(this.id)
  }
}

/** Checks the access of those who have streams open: once for all streams of a credential. */
export const makeAccessWatch = Effect.fnUntraced(function*(rule: AccessRule) {
  const authorize = yield* Authorize
  const subscribeHints = yield* makeHintRoutes("live access", "access")

  const watchViewer = ({ check, hints }: Viewer) =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      const wakeups = yield* subscribeHints(hints)
      const wait = Effect.timeoutOption(Queue.take(wakeups), checkInterval)
      // a check that dies ends the streams as well: their clients come back, and are told what is wrong
      yield* Effect.forever(Effect.zipRight(check, wait)).pipe(
        Effect.onExit(() => Deferred.succeed(ended, undefined)),
        Effect.ignore,
        Effect.interruptible,
        Effect.forkScoped
      )
      return Deferred.await(ended)
    })
  const watches = yield* RcMap.make({ lookup: watchViewer })

  /** An effect that waits until the request would not be granted any more; needs the scope of the stream. */
  return (
    request: HttpServerRequest.HttpServerRequest,
    params: Readonly<Record<string, string | undefined>>,
    person: Person,
    projectId: string
  ) => {
    const { authorization = "", cookie = "" } = request.headers
    const id = Ids.hashSecret(JSON.stringify([authorization, cookie, person.source_ip, projectId]))
    return RcMap.get(watches, new Viewer(id, [projectId, person.user_id], authorize.recheckGrant(rule, request, params)))
  }
})
