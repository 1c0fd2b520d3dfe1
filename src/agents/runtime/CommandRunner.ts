import { Effect, Queue } from "effect"
import { canonical, canonicalize, type JsonInput, JsonObject, parse } from "../../domain/CanonicalJson.ts"
import type { Redaction } from "../../domain/Redaction.ts"
import type { FrameOf } from "../protocol/Frame.ts"
import type { Outcome } from "./CommandBook.ts"
import type { Core } from "./Core.ts"
import { dispatch, type Dispatched } from "./Dispatch.ts"
import { Parameters } from "./Parameters.ts"
import type { ScheduleStream } from "./ScheduleStream.ts"

/** What a frame has room for, beside its envelope. */
const LONGEST_RESULT = 900_000
/** A frame may be nested to 128, its envelope included. */
const DEEPEST_RESULT = 120

interface Taken {
  readonly id: string
  readonly claimToken: string | null
  readonly payload: FrameOf<"command">["payload"]
  /** What it is besides its id, if it is a fire: the same one may come as another command. */
  readonly fire: string | null
}

/**
 * Takes commands: each is acknowledged at once and carried out after those before it, and never twice (agents'
 * protocol, section 5.1). One that was finished before is answered as before.
 */
export const commandRunner = Effect.fnUntraced(function*(core: Core, redaction: Redaction, streams: ReadonlyArray<ScheduleStream>) {
  const { book, config, log } = core
  const waiting = yield* Queue.unbounded<Taken>()
  const { engines, key, purgeThreshold } = config

  const take = ({ id: slice, payload }: FrameOf<"command">): void => {
    const id = own(slice)
    const claimToken = payload.deliveryClaimToken === null ? null : own(payload.deliveryClaimToken)
    core.session?.send("command_ack", id, { delivery_claim_token: claimToken })
    const known = book.find(id)
    if (known === "running") return
    if (known !== "unknown") {
      book.sendAgain(id)
      core.session?.again(id)
      return
    }
    book.begin(id, claimToken)
    waiting.unsafeOffer({ id, claimToken, payload, fire: fireOf(payload) })
  }

  const finish = ({ claimToken, id }: Taken, outcome: Outcome): void => {
    book.finish(id, outcome, claimToken)
    core.session?.wake()
  }

  const carryOut = (command: Taken) =>
    Effect.gen(function*() {
      const { fire } = command
      if (fire !== null && book.find(fire) !== "unknown") {
        return finish(command, { status: "success", result: canonicalize({ deduplicated: true, dedup_key: fire }), error: null })
      }
      const done = yield* dispatch(command.payload, { engines, streams, key, purgeThreshold, redaction })
      if (fire !== null && done.status === "success") book.note(fire)
      finish(command, outcomeOf(done, redaction))
    }).pipe(
      Effect.catchAllCause((cause) =>
        Effect.sync(() => {
          log("error", `a command could not be carried out: ${redaction.text(String(cause)).slice(0, 500)}`)
          finish(command, { status: "failed", result: `{"indeterminate":true}`, error: "The agent broke while it carried this out." })
        })
      )
    )

  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(waiting.take, carryOut)))
  return take
})

/** In memory of its own: a slice would keep the whole frame alive. */
const own = (text: string): string => Buffer.from(text).toString()

const fireOf = (payload: FrameOf<"command">["payload"]): string | null => {
  if (payload.action !== "schedule.fire" && payload.action !== "schedule.trigger_now") return null
  const { fire_id } = new Parameters(payload.target, payload.parameters).values
  return typeof fire_id === "string" ? `fire:${own(fire_id)}` : null
}

const outcomeOf = (done: Dispatched, redaction: Redaction): Outcome => {
  const error = done.status === "failed" ? done.error : null
  const result = done.result === null ? null : textOf(done.result)
  if (result === "unsound") {
    return { status: "failed", result: null, error: "It was done, but the engine's adapter gave no JSON object for an answer." }
  }
  const masked = result === null ? null : redaction.json(result)
  if (masked === null || Buffer.byteLength(masked) <= LONGEST_RESULT) return { status: done.status, result: masked, error }
  return { status: "failed", result: null, error: "It was done, but its answer is longer than the brain takes (1 MiB)." }
}

/** What an adapter says is JSON is looked at once more: a frame that is none would end the session, and each after it. */
const textOf = (result: JsonInput): string => {
  const node = parse(canonicalize(result), { maxDepth: DEEPEST_RESULT })
  return node instanceof JsonObject ? canonical(node) : "unsound"
}
