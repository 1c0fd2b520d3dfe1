import { Layer } from "effect"
import * as AccessCheck from "../gateway/AccessCheck.ts"
import { DenseFrames } from "../gateway/DenseFrames.ts"
import * as LongPoll from "../gateway/LongPoll.ts"
import { Receiver } from "../gateway/Receiver.ts"
import { Refusals } from "../gateway/Refusals.ts"
import { SessionRegistry } from "../gateway/SessionRegistry.ts"
import { Presence } from "../services/agents/Presence.ts"

/**
 * Receives agents' frames, serves long-poll, and ends the sessions of deleted agents. The WebSockets
 * (`gateway/WebSockets.ts`) need this and the HTTP server.
 */
export const layer = Layer.mergeAll(
  AccessCheck.layer,
  DenseFrames.layer,
  LongPoll.layer,
  Presence.layer,
  Receiver.layer,
  Refusals.layer,
  SessionRegistry.layer
)
