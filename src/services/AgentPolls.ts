import { Context, type Effect } from "effect"
import type { BadRequest, PayloadTooLarge, RateLimited, Unauthenticated, Unavailable, ValidationFailed } from "../domain/Errors.ts"
import type { CurrentAgent } from "./CurrentActor.ts"

/** What the headers of a long-poll request say (the agents' protocol, section 1.2). */
export interface PollHeaders {
  /** Names the session, together with the agent; its text is the session id of the signatures. */
  readonly nonce: string | undefined
  /** `huey=1,rq=1`: engines with the marker for safe retries. */
  readonly retryContracts: string | undefined
}

/**
 * The long-poll end of the agents' line: what its two requests do. The gateway (`src/agents/gateway`) provides it.
 */
export class AgentPolls extends Context.Tag("svc/AgentPolls")<AgentPolls, {
  /**
   * Waits up to `wait` seconds for commands and answers at most `maxFrames` of them, signed for this nonce in this
   * order. With `maxFrames` 0 (the probe) it answers at once and hands out nothing.
   */
  readonly pull: (headers: PollHeaders, wait: number, maxFrames: number) => Effect.Effect<
    ReadonlyArray<string>,
    Unauthenticated | BadRequest | RateLimited | Unavailable,
    CurrentAgent
  >
  /**
   * Takes an agent's frames; answers how many once all that they say is committed. Fails as a whole:
   *
   * - `BadRequest` `frame_refused`: a frame failed its checks; the nonce is burnt and the agent takes a new one
   * - `PayloadTooLarge`: a frame over 1 MiB; `ValidationFailed`: one whose payload does not fit (the agent halves
   *   its batch until it has found it)
   * - `Unavailable`: the brain cannot commit now
   */
  readonly push: (headers: PollHeaders, frames: ReadonlyArray<string>) => Effect.Effect<
    number,
    Unauthenticated | BadRequest | PayloadTooLarge | ValidationFailed | RateLimited | Unavailable,
    CurrentAgent
  >
}>() {}
