import { status } from "@grpc/grpc-js"
import { Effect } from "effect"
import { CallFailed } from "./Convert.ts"

/** A scheduler program on its connection. */
export interface Peer {
  /** The common name of its certificate. */
  readonly name: string
  /** What it offered in the negotiation, null before. */
  fingerprint: string | null
  /** Its open streams. */
  readonly streams: Record<StreamKind, number>
}

/** Streams of changes, and snapshots that are being sent. */
export type StreamKind = "watches" | "snapshots"

/** The connections whose certificates were accepted, by their remote address and port. */
export class Peers {
  private readonly open = new Map<string, Peer>()

  /** Returns what the end of the connection calls; another one from the same port may have begun by then. */
  add(address: string, name: string): () => void {
    const peer: Peer = { name, fingerprint: null, streams: { watches: 0, snapshots: 0 } }
    this.open.set(address, peer)
    return () => {
      if (this.open.get(address) === peer) this.open.delete(address)
    }
  }

  countStreams(name: string, kind: StreamKind): number {
    let count = 0
    for (const peer of this.open.values()) if (peer.name === name) count += peer.streams[kind]
    return count
  }

  /** The caller. Its connection may have ended just now. */
  find(address: string): Effect.Effect<Peer, CallFailed> {
    const peer = this.open.get(address)
    return peer === undefined
      ? new CallFailed({ code: status.UNAVAILABLE, details: "The connection has ended." })
      : Effect.succeed(peer)
  }
}

/** The caller's fingerprint, which is part of each schedule that it is sent. */
export const requireNegotiated = ({ fingerprint }: Peer): Effect.Effect<string, CallFailed> =>
  fingerprint === null
    ? new CallFailed({
      code: status.FAILED_PRECONDITION,
      details: "Call NegotiateSchedulerProtocol on this connection first."
    })
    : Effect.succeed(fingerprint)
