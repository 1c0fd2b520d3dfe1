import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import WebSocket from "ws"
import { CanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import { FrameRefusal } from "../../protocol/Envelope.ts"
import { decodeBrainFrame, encodeFrame, type FrameOf, type WirePayloads, WireSession } from "../../protocol/Frame.ts"
import { decodeHelloAckFrame, encodeHelloFrame } from "../../protocol/Hello.ts"
import { MAX_FRAME_BYTES, PROTOCOL_VERSION, RESULT_ACK } from "../../protocol/Payload.ts"
import type { FailureKind } from "./AgentStatus.ts"
import type { AgentConnection, Core } from "./Core.ts"
import { errorCodeOf } from "./ErrorInfo.ts"
import { describeFrameRefusal, resultPayload } from "./FrameText.ts"
import { urlBelow } from "./Options.ts"
import { ConnectionFailed, connectionFailure } from "./Reconnect.ts"

const HANDSHAKE_TIMEOUT_MILLIS = 10_000
const CLOSE_TIMEOUT_MILLIS = 2000
/** A connection without a message or pong for so long is dead. */
const SILENCE_TIMEOUT_MILLIS = 60_000
/** Without an ack for so long the agent reconnects (agents' protocol, section 0, point 4). */
const ACK_TIMEOUT_MILLIS = 90_000
/** The brain has stored what it read so long ago. No frame confirms results, so this is an assumption. */
const CONFIRM_DELAY_MILLIS = 10_000
/** A result without an acknowledgement is sent again after this time. */
const RESULT_ACK_TIMEOUT_MILLIS = 30_000
const MAX_BUFFERED_BYTES = 1_048_576
const PUMP_RETRY_MILLIS = 20
/** The envelope of an event_batch. */
const ENVELOPE_BYTES = 600

/** Network errors of an unreachable address, where long-poll would fail too. */
const unreachableCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"])

const incompatibleCodes = new Set(["scheduler_upgrade_required", "agent_incompatible", "protocol_incompatible"])

const failureBeforeHello = (code: number, reason: string): ConnectionFailed => {
  const suffix = reason === "" ? "" : `: ${reason}`
  if (code === 4401) {
    return new ConnectionFailed({ kind: "auth", detail: `The brain does not know the token${suffix}.` })
  }
  if (code === 4403) {
    return new ConnectionFailed({ kind: "auth", detail: `The brain does not admit this machine${suffix}.` })
  }
  if (code === 4426 || code === 4427) {
    return new ConnectionFailed({
      kind: "incompatible",
      detail: `The brain does not support this version of the agent${suffix}.`
    })
  }
  return connectionFailure(`The connection was closed during the handshake (${code}${suffix}).`, {
    isBlocked: code < 4000
  })
}

const failureAfterHello = (code: number, reason: string): ConnectionFailed => {
  const suffix = reason === "" ? "" : `: ${reason}`
  if (code === 4003) return new ConnectionFailed({ kind: "auth", detail: `The token was revoked${suffix}.` })
  if (code === 4409) return connectionFailure(`Another process took this one's place${suffix}.`, { isReplaced: true })
  return connectionFailure(`The connection was closed (${code}${suffix}).`)
}

/** One connection by WebSocket, from the upgrade to its end. It never succeeds: it fails when the connection ends. */
export const runWebSocket = (core: Core): Effect.Effect<never, ConnectionFailed> =>
  Effect.async<never, ConnectionFailed>((resume) => {
    const session = new WebSocketSession(core, (down) => resume(Effect.fail(down)))
    return session.close()
  })

class WebSocketSession implements AgentConnection {
  readonly transport = "websocket"
  private readonly ws: WebSocket
  private wire: WireSession | null = null
  private isOver = false
  private isPumping = false
  maxBytes = 0
  private lastReceivedAt: number
  private pingSentAt: number | null = null
  /** Whether the brain acknowledges results. */
  private acksResults = false
  private readonly timer: NodeJS.Timeout
  /** Results on this connection, and when they were written to it. */
  private readonly resultsSentAt = new Map<string, number>()

  constructor(private readonly core: Core, private readonly onFailure: (down: ConnectionFailed) => void) {
    this.lastReceivedAt = core.now()
    this.ws = new WebSocket(urlBelow(core.config.url, "/ws/agent", true), {
      headers: { authorization: `Bearer ${Redacted.value(core.config.token)}` },
      perMessageDeflate: false,
      maxPayload: MAX_FRAME_BYTES,
      finishRequest: (request) => {
        request.on("socket", (socket) => socket.unref()) // the socket must not keep the host's process alive
        request.end()
      }
    })
    this.timer = setTimeout(
      () => this.down(connectionFailure("No hello_ack came within 10 seconds.", { isBlocked: true })),
      HANDSHAKE_TIMEOUT_MILLIS
    )
    this.timer.unref()
    this.ws.on(
      "open",
      () => this.ws.send(Buffer.from(encodeHelloFrame(`hello_${randomBytes(8).toString("hex")}`, core.hello())))
    )
    this.ws.on("message", (data: Buffer) => this.receive(data.toString("utf8")))
    this.ws.on("pong", () => this.receivePong())
    this.ws.on("unexpected-response", (_request, { statusCode }) =>
      this.down(
        statusCode === 401
          ? new ConnectionFailed({ kind: "auth", detail: "The brain does not know the token (HTTP 401)." })
          : connectionFailure(`The WebSocket upgrade was answered with HTTP ${statusCode}.`, { isBlocked: true })
      ))
    this.ws.on("error", (error) =>
      this.down(connectionFailure(`The WebSocket failed: ${error.message}.`, {
        isBlocked: this.wire === null && !unreachableCodes.has(errorCodeOf(error))
      })))
    this.ws.on(
      "close",
      (code, reason) =>
        this.down(
          (this.wire === null ? failureBeforeHello : failureAfterHello)(code, reason.toString("utf8").slice(0, 123))
        )
    )
  }

  send = <T extends keyof WirePayloads>(type: T, id: string, payload: WirePayloads[T]): void => {
    if (this.isOver || this.wire === null || this.ws.readyState !== WebSocket.OPEN) return
    this.ws.send(Buffer.from(encodeFrame(type, id, payload, this.wire, this.core.now())))
  }

  wake = (): void => {
    this.sendResults()
    this.pump()
  }

  resendResult = (commandId: string): void => {
    this.resultsSentAt.delete(commandId)
    this.sendResults()
  }

  checkLiveness = (): void => {
    const now = this.core.now()
    const oldest = this.core.outbox.oldestSentAt
    if (now - this.lastReceivedAt > SILENCE_TIMEOUT_MILLIS + this.core.heartbeatSeconds * 1000) {
      return this.down(connectionFailure("The brain has been silent for a minute."))
    }
    if (oldest !== null && now - oldest > ACK_TIMEOUT_MILLIS) {
      return this.down(connectionFailure("The brain has not acknowledged events for 90 seconds."))
    }
    if (this.ws.readyState !== WebSocket.OPEN || this.pingSentAt !== null) return
    this.pingSentAt = now
    this.ws.ping()
  }

  /** Ends the connection from our side. */
  close(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      this.detach()
      if (this.ws.readyState === WebSocket.CLOSED) return resume(Effect.void)
      const timer = setTimeout(() => this.ws.terminate(), CLOSE_TIMEOUT_MILLIS)
      this.ws.once("close", () => {
        clearTimeout(timer)
        resume(Effect.void)
      })
      this.ws.close(1000)
    })
  }

  private receive(text: string): void {
    if (this.isOver) return
    this.lastReceivedAt = this.core.now()
    if (this.wire === null) return this.receiveHelloAck(text)
    const frame = decodeBrainFrame(text, this.wire, this.lastReceivedAt)
    if (frame instanceof FrameRefusal) return this.down(connectionFailure(describeFrameRefusal(frame)))
    switch (frame.type) {
      case "event_batch_ack":
        this.core.isVerified = true
        if (this.core.outbox.ack(frame.payload.ackedId)) this.pump()
        else if (this.acksResults) this.confirmResults([frame.payload.ackedId])
        return
      case "command":
        return this.core.onCommand(frame)
      case "error":
        return this.receiveError(frame)
      case "heartbeat":
        return
    }
  }

  private receiveHelloAck(text: string): void {
    const ack = decodeHelloAckFrame(text)
    if (ack instanceof FrameRefusal) {
      const kind: FailureKind = ack.reason === "version" ? "incompatible" : "connection"
      return this.down(
        new ConnectionFailed({
          kind,
          detail: `The brain's first message is not a hello_ack. ${describeFrameRefusal(ack)}`,
          isBlocked: kind === "connection"
        })
      )
    }
    const { agentId, features, heartbeatIntervalSeconds, maxFrameSizeBytes, projectId, protocolVersion, sessionId } =
      ack.payload
    if (protocolVersion !== PROTOCOL_VERSION) {
      return this.down(
        new ConnectionFailed({
          kind: "incompatible",
          detail: `The brain speaks version ${protocolVersion} of the protocol, the agent ${PROTOCOL_VERSION}.`
        })
      )
    }
    clearTimeout(this.timer)
    this.wire = new WireSession(this.core.config.key, { agentId, projectId, sessionId })
    this.maxBytes = maxFrameSizeBytes - ENVELOPE_BYTES
    this.core.heartbeatSeconds = heartbeatIntervalSeconds
    this.acksResults = features.includes(RESULT_ACK)
    this.core.attachSession(this, features)
  }

  private receiveError({ payload }: FrameOf<"error">): void {
    if (!payload.fatal) {
      return this.core.log("warning", `the brain reports: ${payload.code}: ${payload.message.slice(0, 500)}`)
    }
    const kind: FailureKind = incompatibleCodes.has(payload.code) ? "incompatible" : "protocol"
    this.down(
      new ConnectionFailed({
        kind,
        detail: `The brain ended the session: ${payload.code}: ${payload.message.slice(0, 500)}`
      })
    )
  }

  private sendResults(): void {
    for (const entry of this.core.journal.listUnconfirmed()) {
      if (this.resultsSentAt.has(entry.id)) continue
      this.resultsSentAt.set(entry.id, this.core.now())
      this.send("command_result", entry.id, resultPayload(entry))
    }
  }

  private confirmResults(commandIds: ReadonlyArray<string>): void {
    this.core.journal.confirm(commandIds)
    for (const id of commandIds) this.resultsSentAt.delete(id)
  }

  /** Sends results again that the brain should have acknowledged by now. */
  private resendOverdueResults(): void {
    const before = this.core.now() - RESULT_ACK_TIMEOUT_MILLIS
    for (const [id, at] of this.resultsSentAt) if (at < before) this.resultsSentAt.delete(id)
    this.sendResults()
  }

  /**
   * The brain has read all that was written before the ping. A brain that does not acknowledge results is taken to have
   * them then.
   */
  private receivePong(): void {
    this.lastReceivedAt = this.core.now()
    this.core.isVerified = true
    if (this.pingSentAt === null) return
    if (this.acksResults) {
      this.pingSentAt = null
      return this.resendOverdueResults()
    }
    const before = this.pingSentAt - CONFIRM_DELAY_MILLIS
    this.pingSentAt = null
    const confirmed = [...this.resultsSentAt].filter(([, at]) => at <= before).map(([id]) => id)
    if (confirmed.length > 0) this.confirmResults(confirmed)
  }

  /** Sends one frame a turn of the event loop, so that the host's work runs in between. */
  private pump(): void {
    if (this.isPumping || this.isOver) return
    this.isPumping = true
    if (this.ws.bufferedAmount > MAX_BUFFERED_BYTES) setTimeout(this.pumpNext, PUMP_RETRY_MILLIS).unref()
    else setImmediate(this.pumpNext)
  }

  private readonly pumpNext = (): void => {
    this.isPumping = false
    if (this.isOver || this.wire === null || this.ws.readyState !== WebSocket.OPEN) return
    if (this.ws.bufferedAmount > MAX_BUFFERED_BYTES) return this.pump()
    const parcel = this.core.outbox.next(this.maxBytes)
    if (parcel === null) return
    // each body is a list of events, joined by commas
    this.send("event_batch", parcel.id, { events: parcel.bodies.map((body) => new CanonicalText(body)) })
    this.pump()
  }

  private down(down: ConnectionFailed): void {
    if (this.isOver) return
    this.detach()
    this.onFailure(down)
    if (this.ws.readyState === WebSocket.OPEN) this.ws.close(1000)
    // a peer that does not return the close frame is terminated; the unref'd timer keeps no process alive
    if (this.ws.readyState === WebSocket.CONNECTING) this.ws.terminate()
    else if (this.ws.readyState !== WebSocket.CLOSED) {
      setTimeout(() => this.ws.terminate(), CLOSE_TIMEOUT_MILLIS).unref()
    }
  }

  private detach(): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    if (this.core.session === this) this.core.detachSession()
  }
}
