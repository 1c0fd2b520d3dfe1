import type { HttpServerRequest } from "@effect/platform"
import { Deferred, Effect, Equal, Hash, Queue, RcMap } from "effect"
import type { AccessRule } from "../../../domain/kernel/Access.ts"
import type { Person } from "../../../domain/kernel/Actor.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { makeHintRoutes } from "../../../services/kernel/HintRoutes.ts"
import * as Ids from "../../../services/kernel/Ids.ts"
import { Authorize } from "../../middleware/Authorize.ts"

/** Access is also checked at this interval, because the hint that it ended may be lost. */
const checkInterval = "15 seconds"

/** All streams of one credential, from one address, in one project. `id` is a hash of the three. */
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

/** Checks the access behind open streams, once for all streams of a credential. */
export const makeAccessWatch = Effect.fnUntraced(function*(rule: AccessRule) {
  const authorize = yield* Authorize
  const subscribeHints = yield* makeHintRoutes("live access", "access")

  const watchViewer = ({ check, hints }: Viewer) =>
    Effect.gen(function*() {
      const accessEnd = yield* Deferred.make<void>()
      const wakeups = yield* subscribeHints(hints)
      const wait = Effect.timeoutOption(Queue.take(wakeups), checkInterval)
      // a check that dies ends the streams too: their clients reconnect and get the error
      yield* Effect.forever(Effect.zipRight(check, wait)).pipe(
        Effect.onExit(() => Deferred.succeed(accessEnd, undefined)),
        Effect.ignore,
        Effect.interruptible,
        Effect.forkScoped
      )
      return Deferred.await(accessEnd)
    })
  const watches = yield* RcMap.make({ lookup: watchViewer })

  /** An effect that waits until the request's access has ended; needs the scope of the stream. */
  return (
    request: HttpServerRequest.HttpServerRequest,
    params: Readonly<Record<string, string | undefined>>,
    person: Person,
    projectId: ProjectId
  ) => {
    const { authorization = "", cookie = "" } = request.headers
    const id = Ids.hashSecret(JSON.stringify([authorization, cookie, person.source_ip, projectId]))
    return RcMap.get(
      watches,
      new Viewer(id, [projectId, person.user_id], authorize.recheckGrant(rule, request, params))
    )
  }
})
