import { status } from "@grpc/grpc-js"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { CallFailed } from "./Convert.ts"

/** A scheduler program on its connection. Times are epoch milliseconds. */
export interface Peer {
  readonly id: string
  /** The common name of its certificate. */
  readonly name: string
  /** What it offered in the negotiation, null before. */
  fingerprint: string | null
  /** Its open streams. */
  readonly streams: Record<StreamKind, number>
  /** The process as its leases name it; null: it has requested none. */
  instance: string | null
  readonly connectedAt: number
  calledAt: number
  /** When it last fired or skipped a tick; null: not yet. */
  firedAt: number | null
}

/** Streams of changes, and snapshots that are being sent. */
export type StreamKind = "watches" | "snapshots"

/** The connections whose certificates were accepted, by their remote address and port. */
export class Peers {
  private readonly byAddress = new Map<string, Peer>()
  private ended: Array<string> = []

  constructor(private readonly now: () => number) {}

  /** Returns what the end of the connection calls; another one from the same port may have begun by then. */
  add(address: string, name: string): () => void {
    const at = this.now()
    const peer: Peer = {
      id: randomUUID(),
      name,
      fingerprint: null,
      streams: { watches: 0, snapshots: 0 },
      instance: null,
      connectedAt: at,
      calledAt: at,
      firedAt: null
    }
    this.byAddress.set(address, peer)
    return () => {
      if (this.byAddress.get(address) === peer) this.byAddress.delete(address)
      this.ended.push(peer.id)
    }
  }

  /** The connections of programs that have negotiated or requested leases. An open stream of changes is a call. */
  list(): ReadonlyArray<Peer> {
    const programs = [...this.byAddress.values()].filter((peer) => peer.fingerprint !== null || peer.instance !== null)
    for (const peer of programs) if (peer.streams.watches > 0) peer.calledAt = this.now()
    return programs
  }

  /** The connections that have ended since the last call. */
  takeEnded(): ReadonlyArray<string> {
    const ended = this.ended
    this.ended = []
    return ended
  }

  countStreams(name: string, kind: StreamKind): number {
    let count = 0
    for (const peer of this.byAddress.values()) if (peer.name === name) count += peer.streams[kind]
    return count
  }

  /** The caller. Its connection may have ended just now. */
  find(address: string): Effect.Effect<Peer, CallFailed> {
    const peer = this.byAddress.get(address)
    if (peer === undefined) return new CallFailed({ code: status.UNAVAILABLE, details: "The connection has ended." })
    peer.calledAt = this.now()
    return Effect.succeed(peer)
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
