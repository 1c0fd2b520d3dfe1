import { Effect, Queue } from "effect"
import { canonicalize, canonicalTextOf, type JsonInput, JsonObject, parse } from "../../domain/kernel/CanonicalJson.ts"
import type { Redaction } from "../../domain/kernel/Redaction.ts"
import type { FrameOf } from "../../protocol/Frame.ts"
import type { CommandOutcome } from "./CommandJournal.ts"
import type { Core } from "./Core.ts"
import { dispatch, type DispatchResult } from "./Dispatch.ts"
import { Parameters } from "./Parameters.ts"
import type { ScheduleStream } from "./ScheduleStream.ts"

/** Largest result of a frame, without its envelope. */
const MAX_RESULT_BYTES = 900_000
/** Nesting of a result: a frame may have 128 levels, its envelope included. */
const MAX_RESULT_DEPTH = 120

interface QueuedCommand {
  readonly id: string
  readonly claimToken: string | null
  readonly payload: FrameOf<"command">["payload"]
  /** The key of a schedule's fire: the same fire may come as another command. */
  readonly fire: string | null
}

/**
 * Acknowledges each command at once and executes commands one after the other (agents' protocol, section 5.1). The
 * journal has the id of each accepted command, so none is executed twice: one that comes again while it runs is only
 * acknowledged, and a finished one gets its old result.
 */
export const makeCommandRunner = Effect.fnUntraced(
  function*(core: Core, redaction: Redaction, streams: ReadonlyArray<ScheduleStream>) {
    const { journal, config, log } = core
    const queue = yield* Queue.unbounded<QueuedCommand>()
    const { engines, key, purgeThreshold } = config

    const accept = ({ id: slice, payload }: FrameOf<"command">): void => {
      const id = copyText(slice)
      const claimToken = payload.deliveryClaimToken === null ? null : copyText(payload.deliveryClaimToken)
      core.session?.send("command_ack", id, { delivery_claim_token: claimToken })
      const known = journal.find(id)
      if (known === "running") return
      if (known !== "unknown") {
        journal.markUnconfirmed(id)
        core.session?.resendResult(id)
        return
      }
      journal.begin(id, claimToken)
      queue.unsafeOffer({ id, claimToken, payload, fire: fireKeyOf(payload) })
    }

    const finish = ({ claimToken, id }: QueuedCommand, outcome: CommandOutcome): void => {
      journal.finish(id, outcome, claimToken)
      core.session?.wake()
    }

    const execute = (command: QueuedCommand) =>
      Effect.gen(function*() {
        const { fire } = command
        if (fire !== null && journal.find(fire) !== "unknown") {
          return finish(command, {
            status: "success",
            result: canonicalize({ deduplicated: true, dedup_key: fire }),
            error: null
          })
        }
        const result = yield* dispatch(command.payload, { engines, streams, key, purgeThreshold, redaction })
        if (fire !== null && result.status === "success") journal.recordSuccess(fire)
        finish(command, outcomeOf(result, redaction))
      }).pipe(
        Effect.catchAllCause((cause) =>
          Effect.sync(() => {
            log("error", `a command could not be executed: ${redaction.text(String(cause)).slice(0, 500)}`)
            finish(command, {
              status: "failed",
              result: `{"indeterminate":true}`,
              error: "The agent failed while it executed this command. The outcome is unknown."
            })
          })
        )
      )

    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(queue.take, execute)))
    return accept
  }
)

/** Copies the text: a slice would keep the whole frame in memory. */
const copyText = (text: string): string => Buffer.from(text).toString()

const fireKeyOf = (payload: FrameOf<"command">["payload"]): string | null => {
  if (payload.action !== "schedule.fire" && payload.action !== "schedule.trigger_now") return null
  const { fire_id } = new Parameters(payload.target, payload.parameters).values
  return typeof fire_id === "string" ? `fire:${copyText(fire_id)}` : null
}

const outcomeOf = (result: DispatchResult, redaction: Redaction): CommandOutcome => {
  const error = result.status === "failed" ? result.error : null
  const encoded = result.result === null ? null : encodeResult(result.result)
  if (encoded === "unsound") {
    return {
      status: "failed",
      result: null,
      error: "The command was executed, but the engine's adapter did not return a JSON object."
    }
  }
  const masked = encoded === null ? null : redaction.json(encoded)
  if (masked === null || Buffer.byteLength(masked) <= MAX_RESULT_BYTES) {
    return { status: result.status, result: masked, error }
  }
  return {
    status: "failed",
    result: null,
    error: "The command was executed, but its result is longer than 1 MiB, the brain's limit."
  }
}

/** Parses an adapter's JSON text: an invalid frame would end the session, and each session after it. */
const encodeResult = (result: JsonInput): string => {
  const node = parse(canonicalize(result), { maxDepth: MAX_RESULT_DEPTH })
  return node instanceof JsonObject ? canonicalTextOf(node) : "unsound"
}
