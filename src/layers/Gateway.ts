import { Layer } from "effect"
import * as AccessCheck from "../agents/gateway/AccessCheck.ts"
import { DenseFrames } from "../agents/gateway/DenseFrames.ts"
import * as LongPoll from "../agents/gateway/LongPoll.ts"
import { Receiver } from "../agents/gateway/Receiver.ts"
import { Refusals } from "../agents/gateway/Refusals.ts"
import { SessionRegistry } from "../agents/gateway/SessionRegistry.ts"
import { Presence } from "../services/agents/Presence.ts"

/**
 * Receives agents' frames, answers long-poll, and ends the sessions of deleted agents. The WebSockets
 * (`agents/gateway/WebSockets.ts`) need this and the HTTP server.
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
