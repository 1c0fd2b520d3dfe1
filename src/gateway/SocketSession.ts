import { type Clock, Effect, type Fiber, FiberId } from "effect"
import type { Duplex } from "node:stream"
import type WebSocket from "ws"
import type { AgentId, ProjectId } from "../domain/kernel/Id.ts"
import { FrameRefusal, isDense } from "../protocol/Envelope.ts"
import { type AgentFrame, decodeAgentFrame, encodeFrame, type FrameOf, type WireSession } from "../protocol/Frame.ts"
import { RESULT_ACK } from "../protocol/Payload.ts"
import type { OutboundCommand } from "../services/agents/AgentSessions.ts"
import type { PresenceHandle, ProcessInfo } from "../services/agents/Presence/Model.ts"
import type { EventBatch } from "../services/tasks/Ingest/Model.ts"
import { encodeCommandFrame } from "./CommandFrame.ts"
import type { DenseFrames } from "./DenseFrames.ts"
import type { BatchAck, FrameSender, Receiver } from "./Receiver.ts"
import { describeGatewayRefusal, type GatewayReason, type Refusals } from "./Refusals.ts"
import { ReportQueue } from "./ReportQueue.ts"
import type { GatewaySession, SessionRegistry } from "./SessionRegistry.ts"
import { SetupAdvisor } from "./SetupAdvisor.ts"
import { closeCode, closeSocket } from "./SocketClose.ts"
import { SocketReader } from "./SocketReader.ts"
import { encodeTextMessages } from "./TextMessages.ts"

/** What all socket sessions of this replica share. */
export interface GatewayContext {
  readonly clock: Clock.Clock
  readonly receiver: Receiver
  readonly refusals: Refusals
  readonly denseFrames: DenseFrames
  readonly sessions: SessionRegistry
  /** Runs an effect in the background: a socket's callback cannot wait for one. */
  readonly fork: <A>(effect: Effect.Effect<A>) => Fiber.RuntimeFiber<A>
  /** Calls `sendAcks` of the session at the end of this turn of the event loop. */
  readonly scheduleAcks: (session: SocketSession) => void
  /** Sessions whose batch the full ingest refused. They offer it again in this order. */
  readonly blockedSessions: Set<SocketSession>
  /** True once the shutdown has begun: the gateway takes no more events. */
  readonly isDraining: () => boolean
}

/** An agent with more unread bytes than this is disconnected. */
const maxBufferedBytes = 8 * 1024 * 1024

/** Commands of a session that a shutdown waits for; the oldest are left out. */
const maxPendingCommands = 1000

/**
 * One process of an agent on its WebSocket, after the handshake (`SocketConnection`). Frames pass through plain
 * callbacks in the order of their arrival; `docs/internals/agents.md` has the numbers for that. A frame that must wait pauses
 * the `SocketReader`, which holds back all frames behind it.
 *
 * | state | event | what is done | what is sent |
 * |---|---|---|---|
 * | reading | `event_batch`, the ingest takes it | – | `event_batch_ack`, after its commit |
 * | reading | `event_batch`, the ingest is full | the session keeps the batch → paused | nothing |
 * | reading | `event_batch` during the shutdown | dropped: the agent sends it again to the next brain | nothing |
 * | reading | `command_ack`, `command_result` | queued for the CommandInbox; the 64th → paused | nothing |
 * | reading | another valid frame | presence and log | nothing |
 * | reading | a ping | – | pong, once all reports before it are committed |
 * | reading | a frame of very many values | a thread decodes it → paused | nothing |
 * | reading | an invalid frame | the refusal is recorded → closed | close 1008, 1009 over 1 MiB |
 * | paused | a message, a ping | added to the backlog | nothing |
 * | paused | the ingest takes the batch, a report reaches the inbox, a frame is decoded | the backlog is handled → reading | nothing |
 * | paused | the thread fails | → closed | acks, then close 1013 |
 * | both | a batch is committed | – | `event_batch_ack`, with the others of this turn of the event loop |
 * | both | a command | refused while the agent has more than 8 MiB unread | `command` |
 * | both | acks or pongs leave more than 8 MiB unread | refusal `slow_reader` → closed | nothing: the socket is terminated |
 * | both | a newer connection of the process; revoked token; shutdown | → closed | acks, then close 4409; 4003; 1012 |
 * | both | the socket closes | → closed | nothing |
 * | closed | anything | dropped; reports in the queue are still stored | nothing |
 */
export class SocketSession implements GatewaySession, FrameSender {
  readonly transport = "websocket"
  readonly exclusive = true
  readonly agentId: AgentId
  readonly projectId: ProjectId
  readonly sessionId: string
  readonly workerId: string
  readonly role: string | null
  readonly engines: ReadonlyArray<string>
  readonly schedulers: ReadonlyArray<string>
  readonly features: ReadonlyArray<string>
  readonly capabilities: Readonly<Record<string, ReadonlyArray<string>>>
  readonly advisor = new SetupAdvisor()
  /** Epoch milliseconds of the last frame, ping or pong. */
  lastActivityAt: number
  private heartbeatAt: number
  private isClosed = false
  private readonly reader: SocketReader
  private readonly reports: ReportQueue
  /** A thread decodes a frame of very many values. */
  private isDecoding = false
  private decodeFiber: Fiber.RuntimeFiber<void> | null = null
  /** Batches that are neither committed nor refused. */
  private pendingBatches = 0
  /** The batch that the full ingest refused. */
  private blockedBatch: EventBatch | null = null
  private acks: Array<BatchAck & { readonly acked_id: string }> = []
  private acksSent = 0
  /** Commands that were sent and have no result, with the epoch milliseconds of their timeout. */
  private readonly pendingCommands = new Map<string, number>()

  constructor(
    private readonly ws: WebSocket,
    private readonly socket: Duplex,
    readonly wire: WireSession,
    info: ProcessInfo,
    readonly presence: PresenceHandle,
    private readonly gateway: GatewayContext
  ) {
    this.agentId = info.agentId
    this.projectId = info.projectId
    this.sessionId = info.sessionId
    this.workerId = info.workerId
    this.role = info.role
    this.engines = info.engines
    this.schedulers = info.schedulers
    this.features = info.features
    this.capabilities = info.capabilities
    this.lastActivityAt = this.heartbeatAt = this.now()
    this.reader = new SocketReader(ws, (data) => this.handleMessage(data), (data) => this.handlePing(data))
    this.reports = new ReportQueue(this.reader, gateway.fork, gateway.receiver.awaitCommandsCommitted)
  }

  lastHeartbeat = (): number => this.heartbeatAt

  get isPaused(): boolean {
    return this.reader.isPaused
  }

  /** Whether a frame of the agent is not stored yet. */
  get isBusy(): boolean {
    return this.pendingBatches > 0 || this.reports.isBusy || this.isDecoding
  }

  /** Whether the agent executes a command. It would lose the result, once written to a socket that the brain closes. */
  get awaitsResult(): boolean {
    const now = this.now()
    for (const [id, timeoutAt] of this.pendingCommands) if (timeoutAt <= now) this.pendingCommands.delete(id)
    return this.pendingCommands.size > 0
  }

  receive(data: Buffer): void {
    if (this.isClosed) return
    this.lastActivityAt = this.now()
    this.reader.receive(data)
  }

  receivePing(data: Buffer): void {
    if (this.isClosed) return
    this.lastActivityAt = this.now()
    this.reader.receivePing(data)
  }

  send = (command: OutboundCommand): boolean => {
    if (this.isClosed || this.ws.readyState !== this.ws.OPEN || this.ws.bufferedAmount > maxBufferedBytes) return false
    const text = encodeCommandFrame(command, this.presence.namespace, this.wire, this.now())
    if (text === null) return false
    this.pendingCommands.set(command.id, this.now() + command.timeout_seconds * 1000)
    if (this.pendingCommands.size > maxPendingCommands) {
      this.pendingCommands.delete(this.pendingCommands.keys().next().value ?? "")
    }
    this.ws.send(text)
    return true
  }

  close = (why: "replaced" | "revoked"): void =>
    why === "revoked"
      ? this.closeWith(closeCode.tokenRevoked, "the token was revoked")
      : this.closeWith(closeCode.replaced, "replaced by a newer connection of this process")

  /** Closes the session from the brain's side. Sends the acks that are due first. */
  closeWith(code: number, reason: string): void {
    if (this.isClosed) return
    this.sendAcks()
    if (this.isClosed) return // `sendAcks` terminated a slow reader
    this.detach(false)
    closeSocket(this.ws, code, reason)
  }

  /** A process that ends in an orderly way closes with 1000 (agents' protocol, section 1.1); a crash gives 1006. */
  onClose(code: number): void {
    if (!this.isClosed) this.detach(code === closeCode.normal || code === closeCode.goingAway)
  }

  terminate(): void {
    if (!this.isClosed) this.detach(false)
    this.ws.terminate()
  }

  ping(): void {
    this.ws.ping()
  }

  refuse(reason: GatewayReason, detail: string, code: number): void {
    if (this.isClosed) return
    this.gateway.refusals.refuse(this, reason, detail)
    this.closeWith(code, detail)
  }

  /** Offers the blocked batch to the ingest again; false while the ingest is full. */
  retryBatch(): boolean {
    if (this.isClosed || this.blockedBatch === null) return true
    if (!this.gateway.receiver.ingest.offer(this.blockedBatch)) return false
    this.blockedBatch = null
    this.reader.resume()
    return true
  }

  /** Signs the acks that are due and sends them in one write. */
  sendAcks(): void {
    const due = this.acks
    if (this.isClosed || due.length === 0 || this.ws.readyState !== this.ws.OPEN) return
    this.acks = []
    const now = this.now()
    const texts = due.map((ack) => encodeFrame("event_batch_ack", `eba_${++this.acksSent}`, ack, this.wire, now))
    // Past the library: it makes two writes of each message. It never holds a message back, as nothing is compressed.
    this.socket.write(encodeTextMessages(texts))
    this.terminateSlowReader()
  }

  private terminateSlowReader(): void {
    if (this.ws.bufferedAmount <= maxBufferedBytes) return
    this.gateway.refusals.refuse(this, "slow_reader", "The agent does not read what the brain sends.")
    this.terminate()
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

  /**
   * The pong confirms to the agent that the brain has handled the frames before its ping and stored its reports. Our own
   * agent deletes its copies of results then: it would lose them if the pong overtook a frame of the backlog.
   */
  private handlePing(data: Buffer): void {
    this.reports.afterCommit(() => {
      if (this.isClosed || this.ws.readyState !== this.ws.OPEN) return
      this.ws.pong(data)
      this.terminateSlowReader()
    })
  }

  /** Messages behind the frame wait, since their sequence numbers are above its own. */
  private decodeDenseFrame(text: string, now: number): void {
    this.isDecoding = true
    this.reader.pause()
    this.decodeFiber = this.gateway.fork(
      this.gateway.denseFrames.decode(text, this.wire, now).pipe(
        Effect.map((frame) => {
          this.isDecoding = false
          if (!this.isClosed) this.handleFrame(frame, now)
          this.reader.resume()
        }),
        // a paused session is not taken for a silent one, so that a defect would keep it for ever
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Effect.logError("a large frame could not be read", cause),
            Effect.sync(() => {
              this.isDecoding = false
              this.closeWith(closeCode.tryLater, "the brain could not read a large frame, send it again")
            })
          )
        )
      )
    )
  }

  /** Of a closed session: frames of open ones would wait for the thread behind it. */
  private withdrawDenseFrame(): void {
    if (!this.isDecoding) return
    this.isDecoding = false
    this.decodeFiber?.unsafeInterruptAsFork(FiberId.none)
  }

  private handleFrame(frame: AgentFrame | FrameRefusal, now: number): void {
    if (frame instanceof FrameRefusal) {
      this.refuse(
        frame.reason,
        describeGatewayRefusal(frame),
        frame.reason === "too_long" ? closeCode.tooBig : closeCode.policy
      )
      return
    }
    this.heartbeatAt = now
    this.presence.touch()
    if (frame.type === "event_batch") return this.offerBatch(frame)
    if (frame.type === "command_result") this.pendingCommands.delete(frame.id)
    const work = this.gateway.receiver.handleFrame(frame, this)
    if (work !== null) this.reports.add(work)
  }

  private offerBatch(frame: FrameOf<"event_batch">): void {
    if (this.gateway.isDraining()) return // without an ack the agent sends it again after its reconnect
    const acked_id = frame.id
    this.pendingBatches++
    const batch = this.gateway.receiver.toEventBatch(frame, this, (outcome) => this.queueAck(acked_id, outcome))
    if (batch === null || this.gateway.receiver.ingest.offer(batch)) return
    this.blockedBatch = batch
    this.gateway.blockedSessions.add(this)
    this.reader.pause()
  }

  private queueAck(acked_id: string, { accepted, received, rejected }: BatchAck): void {
    this.pendingBatches--
    if (this.isClosed) return
    this.acks.push({ acked_id, received, accepted, rejected })
    this.gateway.scheduleAcks(this)
  }

  /** The result of a command is committed, or can never be. */
  onResultCommitted = (commandId: string): void => {
    if (this.isClosed || !this.features.includes(RESULT_ACK)) return
    this.acks.push({ acked_id: commandId, received: 1, accepted: 1, rejected: 0 })
    this.gateway.scheduleAcks(this)
  }

  private detach(isOrderly: boolean): void {
    this.isClosed = true
    this.reader.close()
    this.withdrawDenseFrame()
    this.acks = []
    this.blockedBatch = null
    this.gateway.blockedSessions.delete(this)
    this.gateway.sessions.remove(this)
    this.presence.disconnect(isOrderly)
  }
}
