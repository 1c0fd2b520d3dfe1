import { Effect, FiberSet, Layer } from "effect"
import type { AgentId, ProjectId } from "../domain/kernel/Id.ts"
import type { FrameRefusal, RefusalReason } from "../protocol/Envelope.ts"
import type { UnusableReason } from "../protocol/Event.ts"
import { MAX_FRAME_NODES, MAX_KEYS } from "../protocol/Payload.ts"
import { Presence } from "../services/agents/Presence.ts"
import { Metrics } from "../services/kernel/Metrics.ts"

/** Why the gateway refuses an agent: a frame's refusal, or one of its own. Labels of a metric. */
export type GatewayReason =
  | RefusalReason
  | "bad_hello"
  | "protocol_version"
  | "hello_timeout"
  | "slow_reader"
  | "websocket"

/** In an agent's record: a frame counted, and parts of it did not. */
const alteredReason = "left_out"

/** The agent that a refusal is about. */
export interface RefusedAgent {
  readonly agentId: AgentId
  readonly projectId: ProjectId
  readonly transport: "websocket" | "longpoll"
}

/** One log line an agent and reason in this time: an agent with a wrong secret reconnects every second. */
const logIntervalMillis = 60_000

/**
 * Counts each refusal by reason, logs it, and stores it in the agent's record, where people see why an agent does not
 * connect.
 */
export class Refusals extends Effect.Service<Refusals>()("svc/gateway/Refusals", {
  scoped: Effect.gen(function*() {
    const metrics = yield* Metrics
    const presence = yield* Presence
    const clock = yield* Effect.clock
    const fork = yield* FiberSet.makeRuntime<never>()
    const lastLoggedAt = new Map<string, number>()

    /** Whether it was logged. */
    const log = (
      { agentId, projectId, transport }: RefusedAgent,
      reason: GatewayReason | UnusableReason | typeof alteredReason,
      line: string
    ): boolean => {
      const key = `${agentId} ${reason}`
      const now = clock.unsafeCurrentTimeMillis()
      if (now - (lastLoggedAt.get(key) ?? -Infinity) < logIntervalMillis) return false
      for (const [old, at] of lastLoggedAt) if (now - at >= logIntervalMillis) lastLoggedAt.delete(old)
      lastLoggedAt.set(key, now)
      fork(
        Effect.logWarning(line).pipe(
          Effect.annotateLogs({ agent_id: agentId, project_id: projectId, transport, logger: "agents" })
        )
      )
      return true
    }

    /** Plain code: it is called from a socket's callback. */
    const refuse = (peer: RefusedAgent, reason: GatewayReason, detail: string): void => {
      metrics.framesRefused.inc({ reason })
      presence.recordRefusal(peer.agentId, reason, detail)
      log(peer, reason, `refused an agent: ${reason}: ${detail}`)
    }

    /** Counts and logs an event that cannot be stored, and is acknowledged as rejected. */
    const rejectEvent = (peer: RefusedAgent, reason: UnusableReason): void => {
      metrics.eventsUnusable.inc({ reason })
      log(peer, reason, `events were rejected: ${reason}: ${unusableDetails[reason]}`)
    }

    /** Logs and stores in the agent's record which parts of a frame were truncated or left out. The frame itself counts. */
    const noteAltered = (peer: RefusedAgent, type: string, altered: ReadonlyArray<string> = []): void => {
      if (altered.length === 0) return
      const detail = `Parts of a ${type} exceed a bound or are of another type; they were cut or left out: ${
        altered.join(", ")
      }.`
      if (log(peer, alteredReason, detail)) presence.recordRefusal(peer.agentId, alteredReason, detail)
    }

    return { refuse, rejectEvent, noteAltered } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(Presence.layer))
}

const refusalDetails: Readonly<Record<RefusalReason, string>> = {
  too_long: "A message is longer than 1 MiB.",
  not_json: "A message is not JSON.",
  too_deep: "A message nests more than 128 objects and arrays.",
  lone_surrogate: "A message holds half of a surrogate pair, which UTF-8 cannot write.",
  number_overflow: "A message holds a number beyond the range of floats.",
  malformed: "A message is not a frame",
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

const unusableDetails: Readonly<Record<UnusableReason, string>> = {
  not_an_object: "An event is not a JSON object.",
  too_many_keys: `An object of a publication of schedules has more than ${MAX_KEYS} keys.`,
  too_many_values: `The publications of schedules in a frame have more than ${MAX_FRAME_NODES} values.`
}

/** A refusal in one sentence for people. It contains no text of the agent. */
export const describeGatewayRefusal = (refusal: FrameRefusal): string => {
  if (refusal.skewSeconds !== undefined) {
    const seconds = Math.abs(refusal.skewSeconds).toFixed(1)
    return `The agent's clock is ${seconds} s ${
      refusal.skewSeconds > 0 ? "ahead of" : "behind"
    } the brain's; 60 s are allowed.`
  }
  const text = refusalDetails[refusal.reason]
  return text.endsWith(".") || text.endsWith("?")
    ? text
    : `${text}${refusal.field === undefined ? "" : `: ${refusal.field}`}.`
}
