import { Context, type Effect } from "effect"
import type {
  BadRequest,
  PayloadTooLarge,
  RateLimited,
  Unauthenticated,
  Unavailable,
  ValidationFailed
} from "../../domain/kernel/Errors.ts"
import type { CurrentAgent } from "../kernel/CurrentActor.ts"

/** The headers of a long-poll request (the agents' protocol, section 1.2). */
export interface PollHeaders {
  /** Identifies the session, together with the agent; its text is the session id of the signatures. */
  readonly nonce: string | undefined
  /** `huey=1,rq=1`: engines with the marker for safe retries. */
  readonly retryContracts: string | undefined
  /** Of our agents: their hello frame in base64url, which names the process. */
  readonly hello: string | undefined
}

/** The two requests of the long-poll transport. The gateway (`src/gateway`) provides them. */
export class AgentLongPoll extends Context.Tag("svc/AgentLongPoll")<AgentLongPoll, {
  /**
   * Waits up to `wait` seconds for commands and returns at most `maxFrames` of them, signed for this nonce in this
   * order. With `maxFrames` 0 (the probe) it returns at once, without commands.
   */
  readonly pull: (headers: PollHeaders, wait: number, maxFrames: number) => Effect.Effect<
    ReadonlyArray<string>,
    Unauthenticated | BadRequest | RateLimited | Unavailable,
    CurrentAgent
  >
  /**
   * Accepts an agent's frames; returns their number once their content is committed. Fails as a whole:
   *
   * - `BadRequest` `frame_refused`: a frame failed its checks; the nonce is void and the agent creates a new one
   * - `PayloadTooLarge`: a frame over 1 MiB; `ValidationFailed`: a frame with an invalid payload (the agent halves
   *   its batch until it has found the frame)
   * - `Unavailable`: the brain cannot commit now
   */
  readonly push: (headers: PollHeaders, frames: ReadonlyArray<string>) => Effect.Effect<
    number,
    Unauthenticated | BadRequest | PayloadTooLarge | ValidationFailed | RateLimited | Unavailable,
    CurrentAgent
  >
  /** What a `hello_ack` would announce. */
  readonly features: ReadonlyArray<string>
}>() {}
