import { Effect, FiberSet } from "effect"
import { Metrics } from "../../services/Metrics.ts"
import { Presence } from "../../services/Presence.ts"
import type { FrameRefusal, RefusalReason } from "../protocol/Envelope.ts"

/** Why the gateway turns an agent away: a frame's refusal, or one of its own. Labels of a metric. */
export type GatewayReason = RefusalReason | "bad_hello" | "protocol_version" | "hello_timeout" | "slow_reader" | "websocket"

/** Whom a refusal is about. */
export interface Refused {
  readonly agentId: string
  readonly projectId: string
  readonly transport: "websocket" | "longpoll"
}

/** One line about the same agent and reason in this time: an agent with a wrong secret comes back every second. */
const quietMillis = 60_000

/**
 * Every refusal passes here: counted by reason, logged once, and remembered on the agent's record, so that people see
 * why an agent does not come in.
 */
export class Refusals extends Effect.Service<Refusals>()("svc/gateway/Refusals", {
  scoped: Effect.gen(function*() {
    const metrics = yield* Metrics
    const presence = yield* Presence
    const clock = yield* Effect.clock
    const fork = yield* FiberSet.makeRuntime<never>()
    const logged = new Map<string, number>()

    const log = ({ agentId, projectId, transport }: Refused, reason: GatewayReason, detail: string) => {
      const key = `${agentId} ${reason}`
      const now = clock.unsafeCurrentTimeMillis()
      if (now - (logged.get(key) ?? -Infinity) < quietMillis) return
      for (const [old, at] of logged) if (now - at >= quietMillis) logged.delete(old)
      logged.set(key, now)
      fork(
        Effect.logWarning(`refused an agent: ${reason}: ${detail}`).pipe(
          Effect.annotateLogs({ agent_id: agentId, project_id: projectId, transport, logger: "agents" })
        )
      )
    }

    /** Plain code, for the edge. */
    const refuse = (who: Refused, reason: GatewayReason, detail: string): void => {
      metrics.framesRefused.inc({ reason })
      presence.refused(who.agentId, reason, detail)
      log(who, reason, detail)
    }

    return { refuse } as const
  })
}) {
  static readonly layer = this.Default
}

const details: Readonly<Record<RefusalReason, string>> = {
  too_long: "A message is longer than 1 MiB.",
  not_json: "A message is not JSON.",
  too_deep: "A message nests more than 128 objects and arrays.",
  lone_surrogate: "A message holds half of a surrogate pair, which UTF-8 cannot write.",
  number_overflow: "A message holds a number beyond the range of floats.",
  malformed: "A message is no frame",
  version: "A frame has another version than 2.",
  unknown_type: "A frame has a type that the protocol does not know.",
  unexpected_type: "A frame has a type that an agent may not send here.",
  bad_signature: "A frame's signature does not fit: is the agent's hmac secret the one of its token?",
  bad_seq: "A frame has no valid seq.",
  bad_nonce: "A frame has no valid nonce.",
  bad_ts: "A frame has no valid time with an offset.",
  stale: "A frame's time is too far from the brain's clock",
  old_seq: "A frame's seq is not above the last one's.",
  replayed_nonce: "A frame's nonce was seen before: it was sent again.",
  bad_payload: "A frame's payload does not fit its type"
}

/** What a refusal means, in one sentence for people. Never holds what the agent sent. */
export const describe = (refusal: FrameRefusal): string => {
  if (refusal.skewSeconds !== undefined) {
    const seconds = Math.abs(refusal.skewSeconds).toFixed(1)
    return `The agent's clock is ${seconds} s ${refusal.skewSeconds > 0 ? "ahead of" : "behind"} the brain's; 60 s are allowed.`
  }
  const text = details[refusal.reason]
  return text.endsWith(".") || text.endsWith("?") ? text : `${text}${refusal.field === undefined ? "" : `: ${refusal.field}`}.`
}
