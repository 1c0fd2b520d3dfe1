import { type Clock, Effect } from "effect"
import type { Duplex } from "node:stream"
import type WebSocket from "ws"
import type { OutboundCommand } from "../../services/AgentSessions.ts"
import type { EventBatch } from "../../services/Ingest.ts"
import type { ProcessInfo, PresenceHandle } from "../../services/Presence.ts"
import { FrameRefusal, isDense } from "../protocol/Envelope.ts"
import { type AgentFrame, decodeAgentFrame, type FrameOf, encodeFrame, type WireSession } from "../protocol/Frame.ts"
import { encodeCommandFrame } from "./CommandFrame.ts"
import type { DenseFrames } from "./DenseFrames.ts"
import type { Receiver, BatchAck, FrameSender } from "./Receiver.ts"
import { describeRefusal, type GatewayReason, type Refusals } from "./Refusals.ts"
import type { GatewaySession, SessionRegistry } from "./SessionRegistry.ts"
import { SetupAdvisor } from "./SetupAdvisor.ts"
import { encodeTextMessages } from "./TextMessages.ts"

/** What all socket sessions of this replica share. */
export interface GatewayContext {
  readonly clock: Clock.Clock
  readonly receiver: Receiver
  readonly refusals: Refusals
  readonly denseFrames: DenseFrames
  readonly sessions: SessionRegistry
  /** Runs what a callback cannot wait for. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Sessions with acks to send at the end of this turn of the event loop. */
  readonly scheduleAcks: (session: SocketSession) => void
  /** Sessions whose batch the ingest refused, in the order in which they get their turn. */
  readonly blockedSessions: Set<SocketSession>
  /** The brain is going down: no more events are taken. */
  readonly isDraining: () => boolean
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
const closeTimeoutMillis = 2000
/** An agent that does not read: this much is waiting for it. */
const maxBufferedBytes = 8 * 1024 * 1024
/** Answers to commands that wait for their inbox before the socket is read no further. */
const maxReports = 64

/** Closes politely, and cuts the socket of a peer that stays mute. */
export const closeSocket = (ws: WebSocket, code: number, reason: string): void => {
  const timer = setTimeout(() => ws.terminate(), closeTimeoutMillis)
  ws.once("close", () => clearTimeout(timer))
  ws.resume() // the peer's answer can only be seen by reading
  ws.close(code, reason)
}

/**
 * One process of an agent on its WebSocket, after the handshake. Frames pass here in plain callbacks, in the order in
 * which they came; one that cannot go on (a full ingest, a full inbox) holds those behind it and the socket.
 */
export class SocketSession implements GatewaySession, FrameSender {
  readonly transport = "websocket"
  readonly exclusive = true
  readonly agentId: string
  readonly projectId: string
  readonly sessionId: string
  readonly workerId: string
  readonly role: string | null
  readonly engines: ReadonlyArray<string>
  readonly capabilities: Readonly<Record<string, ReadonlyArray<string>>>
  readonly advisor = new SetupAdvisor()
  /** Epoch milliseconds of the last frame, ping or pong. */
  lastActivityAt: number
  /** Batches that were taken and not yet acknowledged. */
  private pendingBatches = 0
  private heartbeatAt: number
  private isClosed = false
  private pauseCount = 0
  private blockedBatch: EventBatch | null = null
  private pausedMessages: Array<Buffer> = []
  private acks: Array<BatchAck & { readonly acked_id: string }> = []
  private acksSent = 0
  private reports: Array<Effect.Effect<void>> = []
  private isReporting = false
  private isDecoding = false

  constructor(
    private readonly ws: WebSocket,
    private readonly socket: Duplex,
    private readonly wire: WireSession,
    about: ProcessInfo,
    readonly presence: PresenceHandle,
    private readonly gateway: GatewayContext
  ) {
    this.agentId = about.agentId
    this.projectId = about.projectId
    this.sessionId = about.sessionId
    this.workerId = about.workerId
    this.role = about.role
    this.engines = about.engines
    this.capabilities = about.capabilities
    this.lastActivityAt = this.heartbeatAt = this.now()
  }

  lastHeartbeat = (): number => this.heartbeatAt

  get isPaused(): boolean {
    return this.pauseCount > 0
  }

  /** Whether something that it sent is still on its way into the database. */
  get isBusy(): boolean {
    return this.pendingBatches > 0 || this.isReporting || this.isDecoding
  }

  /** Takes one message. */
  receive(data: Buffer): void {
    if (this.isClosed) return
    this.lastActivityAt = this.now()
    // a pause takes effect behind what the socket had already read
    if (this.isPaused) this.pausedMessages.push(data)
    else this.handleMessage(data)
  }

  send = (command: OutboundCommand): boolean => {
    if (this.isClosed || this.ws.readyState !== this.ws.OPEN || this.ws.bufferedAmount > maxBufferedBytes) return false
    const text = encodeCommandFrame(command, this.wire, this.now())
    if (text === null) return false
    this.ws.send(text)
    return true
  }

  close = (why: "replaced" | "revoked"): void =>
    why === "revoked"
      ? this.closeWith(closeCode.tokenRevoked, "the token was revoked")
      : this.closeWith(closeCode.replaced, "replaced by a newer connection of this process")

  /** Ends the session from our side; acks that are due go first. */
  closeWith(code: number, reason: string): void {
    if (this.isClosed) return
    this.sendAcks()
    if (this.isClosed) return // the peer reads nothing: it was cut
    this.detach()
    closeSocket(this.ws, code, reason)
  }

  /** The socket is gone. */
  onClose(): void {
    if (!this.isClosed) this.detach()
  }

  terminate(): void {
    this.onClose()
    this.ws.terminate()
  }

  ping(): void {
    this.ws.ping()
  }

  refuse(reason: GatewayReason, detail: string, code: number): void {
    if (this.isClosed) return
    this.gateway.refusals.refuse(this, reason, detail)
    this.closeWith(code, detail.slice(0, 120))
  }

  /** Offers the batch again that the ingest refused; false while there is no room. */
  retryBatch(): boolean {
    if (this.isClosed || this.blockedBatch === null) return true
    if (!this.gateway.receiver.ingest.offer(this.blockedBatch)) return false
    this.blockedBatch = null
    this.resume()
    return true
  }

  /** Signs and writes the acks that are due, together. */
  sendAcks(): void {
    const due = this.acks
    if (this.isClosed || due.length === 0 || this.ws.readyState !== this.ws.OPEN) return
    this.acks = []
    const now = this.now()
    const texts = due.map((ack) => encodeFrame("event_batch_ack", `eba_${++this.acksSent}`, ack, this.wire, now))
    // past the library, which has nothing under way: it compresses nothing and so writes at once
    this.socket.write(encodeTextMessages(texts))
    if (this.ws.bufferedAmount > maxBufferedBytes) {
      this.gateway.refusals.refuse(this, "slow_reader", "The agent does not read what the brain sends.")
      this.terminate()
    }
  }

  private now(): number {
    return this.gateway.clock.unsafeCurrentTimeMillis()
  }

  private handleMessage(data: Buffer): void {
    const now = this.now()
    const text = data.toString("utf8")
    if (isDense(data, data.length)) this.decodeDenseFrame(text, now)
    else this.handleFrame(decodeAgentFrame(text, this.wire, now), now)
  }

  /** Messages behind the frame wait for its thread. */
  private decodeDenseFrame(text: string, now: number): void {
    this.isDecoding = true
    this.pause()
    this.gateway.fork(Effect.match(this.gateway.denseFrames.decode(text, this.wire, now), {
      onFailure: () => this.closeWith(closeCode.tryLater, "the brain could not read a large frame, send it again"),
      onSuccess: (frame) => {
        if (!this.isClosed) this.handleFrame(frame, now)
        this.isDecoding = false
        this.resume()
      }
    }))
  }

  private handleFrame(frame: AgentFrame | FrameRefusal, now: number): void {
    if (frame instanceof FrameRefusal) {
      this.refuse(frame.reason, describeRefusal(frame), frame.reason === "too_long" ? closeCode.tooBig : closeCode.policy)
      return
    }
    this.heartbeatAt = now
    this.presence.touch()
    if (frame.type === "event_batch") return this.offerBatch(frame)
    const work = this.gateway.receiver.handleFrame(frame, this)
    if (work !== null) this.queueReport(work)
  }

  private offerBatch(frame: FrameOf<"event_batch">): void {
    if (this.gateway.isDraining()) return // not acknowledged: the agent sends it again, to whoever is there then
    const acked_id = frame.id
    this.pendingBatches++
    const batch = this.gateway.receiver.toEventBatch(frame, this, (outcome) => this.queueAck(acked_id, outcome))
    if (batch === null || this.gateway.receiver.ingest.offer(batch)) return
    this.blockedBatch = batch
    this.gateway.blockedSessions.add(this)
    this.pause()
  }

  private queueAck(acked_id: string, { accepted, received, rejected }: BatchAck): void {
    this.pendingBatches--
    if (this.isClosed) return
    this.acks.push({ acked_id, received, accepted, rejected })
    this.gateway.scheduleAcks(this)
  }

  /** Answers to commands go to their inbox one after the other. */
  private queueReport(work: Effect.Effect<void>): void {
    this.reports.push(work)
    if (this.reports.length === maxReports) this.pause()
    if (this.isReporting) return
    this.isReporting = true
    this.gateway.fork(Effect.whileLoop({
      while: () => this.reports.length > 0 || this.stopReporting(),
      body: () =>
        Effect.catchAllCause(this.reports[0] ?? Effect.void, (cause) =>
          Effect.logError("an agent's answer to a command could not be taken", cause)),
      step: () => {
        this.reports.shift()
        if (this.reports.length === maxReports - 1) this.resume()
      }
    }))
  }

  private stopReporting(): false {
    this.isReporting = false
    return false
  }

  private pause(): void {
    if (this.pauseCount++ === 0) this.ws.pause()
  }

  private resume(): void {
    if (--this.pauseCount > 0 || this.isClosed) return
    const backlog = this.pausedMessages
    this.pausedMessages = []
    let next = 0
    while (next < backlog.length && !this.isPaused && !this.isClosed) this.handleMessage(backlog[next++]!)
    if (this.isClosed) return
    this.pausedMessages = [...backlog.slice(next), ...this.pausedMessages]
    if (!this.isPaused) this.ws.resume()
  }

  private detach(): void {
    this.isClosed = true
    this.pausedMessages = []
    this.acks = []
    this.blockedBatch = null
    this.gateway.blockedSessions.delete(this)
    this.gateway.sessions.remove(this)
    this.presence.disconnect()
  }
}
