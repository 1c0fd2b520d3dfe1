import { Layer } from "effect"
import * as AccessCheck from "../agents/gateway/AccessCheck.ts"
import { DenseFrames } from "../agents/gateway/DenseFrames.ts"
import * as LongPoll from "../agents/gateway/LongPoll.ts"
import { PollSessions } from "../agents/gateway/PollSessions.ts"
import { Receiver } from "../agents/gateway/Receiver.ts"
import { Refusals } from "../agents/gateway/Refusals.ts"
import * as Sessions from "../agents/gateway/SessionRegistry.ts"
import { Presence } from "../services/Presence.ts"
import { PresenceRepo } from "../services/Presence/Repo.ts"
import { PresenceSweeps } from "../services/Presence/Sweeps.ts"

/** The agents' sessions on this replica, through which commands are sent. */
export const layerAgentSessions = Sessions.layerAgentSessions.pipe(Layer.provideMerge(Sessions.SessionRegistry.layer))

export const layerPresence = Presence.layer.pipe(
  Layer.provideMerge(PresenceSweeps.layer),
  Layer.provide(PresenceRepo.layer)
)

/**
 * Receives agents' frames; answers long-poll; ends the sessions of deleted agents. Needs `layerAgentSessions`, `layerPresence`, Ingest and CommandInbox. The
 * WebSockets (`agents/gateway/WebSockets.ts`) need this and the HTTP server.
 */
export const layerReceiver = LongPoll.layer.pipe(
  Layer.provide(PollSessions.layer),
  Layer.merge(AccessCheck.layer),
  Layer.provideMerge(Receiver.layer),
  Layer.provideMerge(DenseFrames.layer),
  Layer.provideMerge(Refusals.layer)
)
