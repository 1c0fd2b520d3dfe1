import { type Clock, Effect } from "effect"
import type { Duplex } from "node:stream"
import type WebSocket from "ws"
import type { OutboundCommand } from "../../services/AgentLine.ts"
import type { EventBatch } from "../../services/Ingest.ts"
import type { Introduction, Present } from "../../services/Presence.ts"
import { FrameRefusal } from "../protocol/Envelope.ts"
import { type FrameOf, openFromAgent, seal, type WireSession } from "../protocol/Frame.ts"
import { sealCommand } from "./CommandFrame.ts"
import type { Receiver, Settled, Speaker } from "./Receiver.ts"
import { describe, type GatewayReason, type Refusals } from "./Refusals.ts"
import type { GatewaySession, Sessions } from "./Sessions.ts"
import { SetupWatch } from "./SetupWatch.ts"
import { textMessages } from "./TextMessages.ts"

/** What all socket sessions of this replica share. */
export interface Exchange {
  readonly clock: Clock.Clock
  readonly receiver: Receiver
  readonly refusals: Refusals
  readonly sessions: Sessions
  /** Runs what a callback cannot wait for. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Sessions with acks to send at the end of this turn of the event loop. */
  readonly acksDue: (session: SocketSession) => void
  /** Sessions whose batch the ingest refused, in the order in which they get their turn. */
  readonly waiting: Set<SocketSession>
  /** The brain is going down: no more events are taken. */
  readonly draining: () => boolean
}

/** WebSocket close codes (the agents' protocol, section 1.1; RFC 6455, section 7.4). */
export const closeCode = {
  policy: 1008,
  tooBig: 1009,
  restart: 1012,
  tryLater: 1013,
  tokenRevoked: 4003,
  badHello: 4400,
  tokenVoid: 4401,
  replaced: 4409,
  protocolVersion: 4426,
  tooManyConnects: 4429
} as const

/** How long a peer has to answer our close before the socket is cut. */
const closeMillis = 2000
/** An agent that does not read: this much is waiting for it. */
const mostBufferedBytes = 8 * 1024 * 1024
/** Answers to commands that wait for their inbox before the socket is read no further. */
const mostReports = 64

/** Closes politely, and cuts the socket of a peer that stays mute. */
export const closeSocket = (ws: WebSocket, code: number, reason: string): void => {
  const timer = setTimeout(() => ws.terminate(), closeMillis)
  ws.once("close", () => clearTimeout(timer))
  ws.resume() // the peer's answer can only be seen by reading
  ws.close(code, reason)
}

/**
 * One process of an agent on its WebSocket, after the handshake. Frames pass here in plain callbacks, in the order in
 * which they came; one that cannot go on (a full ingest, a full inbox) holds those behind it and the socket.
 */
export class SocketSession implements GatewaySession, Speaker {
  readonly transport = "websocket"
  readonly exclusive = true
  readonly agentId: string
  readonly projectId: string
  readonly sessionId: string
  readonly workerId: string
  readonly role: string | null
  readonly engines: ReadonlyArray<string>
  readonly capabilities: Readonly<Record<string, ReadonlyArray<string>>>
  readonly watch = new SetupWatch()
  /** Epoch milliseconds of the last frame, ping or pong. */
  aliveAt: number
  /** Batches that were taken and not yet acknowledged. */
  private unsettled = 0
  private heartbeatAt: number
  private closed = false
  private holds = 0
  private stalled: EventBatch | null = null
  private backlog: Array<Buffer> = []
  private acks: Array<Settled & { readonly acked_id: string }> = []
  private acksSent = 0
  private reports: Array<Effect.Effect<void>> = []
  private reporting = false

  constructor(
    private readonly ws: WebSocket,
    private readonly socket: Duplex,
    private readonly wire: WireSession,
    about: Introduction,
    readonly present: Present,
    private readonly exchange: Exchange
  ) {
    this.agentId = about.agentId
    this.projectId = about.projectId
    this.sessionId = about.sessionId
    this.workerId = about.workerId
    this.role = about.role
    this.engines = about.engines
    this.capabilities = about.capabilities
    this.aliveAt = this.heartbeatAt = this.now()
  }

  lastHeartbeat = (): number => this.heartbeatAt

  get isPaused(): boolean {
    return this.holds > 0
  }

  /** Whether something that it sent is still on its way into the database. */
  get isBusy(): boolean {
    return this.unsettled > 0 || this.reporting
  }

  /** Takes one message. */
  receive(data: Buffer): void {
    if (this.closed) return
    this.aliveAt = this.now()
    // a pause takes effect behind what the socket had already read
    if (this.isPaused) this.backlog.push(data)
    else this.open(data)
  }

  send = (command: OutboundCommand): boolean => {
    if (this.closed || this.ws.readyState !== this.ws.OPEN || this.ws.bufferedAmount > mostBufferedBytes) return false
    const text = sealCommand(command, this.wire, this.now())
    if (text === null) return false
    this.ws.send(text)
    return true
  }

  close = (why: "replaced" | "revoked"): void =>
    why === "revoked"
      ? this.shut(closeCode.tokenRevoked, "the token was revoked")
      : this.shut(closeCode.replaced, "replaced by a newer connection of this process")

  /** Ends the session from our side; acks that are due go first. */
  shut(code: number, reason: string): void {
    if (this.closed) return
    this.sendAcks()
    if (this.closed) return // the peer reads nothing: it was cut
    this.forget()
    closeSocket(this.ws, code, reason)
  }

  /** The socket is gone. */
  ended(): void {
    if (!this.closed) this.forget()
  }

  cut(): void {
    this.ended()
    this.ws.terminate()
  }

  ping(): void {
    this.ws.ping()
  }

  refuse(reason: GatewayReason, detail: string, code: number): void {
    if (this.closed) return
    this.exchange.refusals.refuse(this, reason, detail)
    this.shut(code, detail.slice(0, 120))
  }

  /** Offers the batch again that the ingest refused; false while there is no room. */
  retry(): boolean {
    if (this.closed || this.stalled === null) return true
    if (!this.exchange.receiver.ingest.offer(this.stalled)) return false
    this.stalled = null
    this.release()
    return true
  }

  /** Signs and writes the acks that are due, together. */
  sendAcks(): void {
    const due = this.acks
    if (this.closed || due.length === 0 || this.ws.readyState !== this.ws.OPEN) return
    this.acks = []
    const now = this.now()
    const texts = due.map((ack) => seal("event_batch_ack", `eba_${++this.acksSent}`, ack, this.wire, now))
    // past the library, which has nothing under way: it compresses nothing and so writes at once
    this.socket.write(textMessages(texts))
    if (this.ws.bufferedAmount > mostBufferedBytes) {
      this.exchange.refusals.refuse(this, "slow_reader", "The agent does not read what the brain sends.")
      this.cut()
    }
  }

  private now(): number {
    return this.exchange.clock.unsafeCurrentTimeMillis()
  }

  private open(data: Buffer): void {
    const now = this.now()
    const frame = openFromAgent(data.toString("utf8"), this.wire, now)
    if (frame instanceof FrameRefusal) {
      this.refuse(frame.reason, describe(frame), frame.reason === "too_long" ? closeCode.tooBig : closeCode.policy)
      return
    }
    this.heartbeatAt = now
    this.present.seen()
    if (frame.type === "event_batch") return this.takeBatch(frame)
    const work = this.exchange.receiver.take(frame, this)
    if (work !== null) this.report(work)
  }

  private takeBatch(frame: FrameOf<"event_batch">): void {
    if (this.exchange.draining()) return // not acknowledged: the agent sends it again, to whoever is there then
    const acked_id = frame.id
    this.unsettled++
    const batch = this.exchange.receiver.batchOf(frame, this, (outcome) => this.settled(acked_id, outcome))
    if (batch === null || this.exchange.receiver.ingest.offer(batch)) return
    this.stalled = batch
    this.exchange.waiting.add(this)
    this.hold()
  }

  private settled(acked_id: string, { accepted, received, rejected }: Settled): void {
    this.unsettled--
    if (this.closed) return
    this.acks.push({ acked_id, received, accepted, rejected })
    this.exchange.acksDue(this)
  }

  /** Answers to commands go to their inbox one after the other. */
  private report(work: Effect.Effect<void>): void {
    this.reports.push(work)
    if (this.reports.length === mostReports) this.hold()
    if (this.reporting) return
    this.reporting = true
    this.exchange.fork(Effect.whileLoop({
      while: () => this.reports.length > 0 || this.reported(),
      body: () =>
        Effect.catchAllCause(this.reports[0] ?? Effect.void, (cause) =>
          Effect.logError("an agent's answer to a command could not be taken", cause)),
      step: () => {
        this.reports.shift()
        if (this.reports.length === mostReports - 1) this.release()
      }
    }))
  }

  private reported(): false {
    this.reporting = false
    return false
  }

  private hold(): void {
    if (this.holds++ === 0) this.ws.pause()
  }

  private release(): void {
    if (--this.holds > 0 || this.closed) return
    const backlog = this.backlog
    this.backlog = []
    let next = 0
    while (next < backlog.length && !this.isPaused && !this.closed) this.open(backlog[next++]!)
    if (this.closed) return
    this.backlog = [...backlog.slice(next), ...this.backlog]
    if (!this.isPaused) this.ws.resume()
  }

  private forget(): void {
    this.closed = true
    this.backlog = []
    this.acks = []
    this.stalled = null
    this.exchange.waiting.delete(this)
    this.exchange.sessions.remove(this)
    this.present.gone()
  }
}
