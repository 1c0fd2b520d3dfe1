import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import WebSocket from "ws"
import { CanonicalText } from "../../domain/CanonicalJson.ts"
import { FrameRefusal } from "../protocol/Envelope.ts"
import { type FrameOf, openFromBrain, seal, type WirePayloads, WireSession } from "../protocol/Frame.ts"
import { openHelloAck, sealHello } from "../protocol/Hello.ts"
import { MAX_FRAME_BYTES, PROTOCOL_VERSION } from "../protocol/Payload.ts"
import { codeOf } from "./BufferFolder.ts"
import type { Core, Session } from "./Core.ts"
import { below } from "./Options.ts"
import { type DownKind, LineDown } from "./Reconnect.ts"
import { describe, resultPayload } from "./Wording.ts"

const HANDSHAKE_MILLIS = 10_000
const CLOSE_MILLIS = 2000
/** Nothing heard for so long, pings included: the connection is dead. */
const SILENCE_MILLIS = 60_000
/** A brain that has not acknowledged for so long is called again (agents' protocol, section 0, point 4). */
const ACK_MILLIS = 90_000
/** What the brain has read so long ago it has written down too, as far as anybody can tell. */
const CONFIRM_MILLIS = 10_000
const MOST_BUFFERED_BYTES = 1_048_576
const LOOK_AGAIN_MILLIS = 20
/** The envelope of an event_batch. */
const ENVELOPE_BYTES = 600

/** Network errors that say that nobody is there, so that no other transport would get through either. */
const nobodyThere = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"])

const incompatible = new Set(["scheduler_upgrade_required", "agent_incompatible", "protocol_incompatible"])

const connectionDown = (detail: string, blocked = false) => new LineDown({ kind: "connection", detail, blocked })

const closedEarly = (code: number, reason: string): LineDown => {
  const said = reason === "" ? "" : `: ${reason}`
  if (code === 4401) return new LineDown({ kind: "auth", detail: `The brain does not know the token${said}.` })
  if (code === 4403) return new LineDown({ kind: "auth", detail: `The brain does not admit this machine${said}.` })
  if (code === 4426 || code === 4427) return new LineDown({ kind: "incompatible", detail: `The brain does not speak with this version of the agent${said}.` })
  return connectionDown(`The connection was closed during the handshake (${code}${said}).`, code < 4000)
}

const closedLater = (code: number, reason: string): LineDown => {
  const said = reason === "" ? "" : `: ${reason}`
  if (code === 4003) return new LineDown({ kind: "auth", detail: `The token was revoked${said}.` })
  if (code === 4409) return new LineDown({ kind: "connection", detail: `Another process took this one's place${said}.`, replaced: true })
  return connectionDown(`The connection was closed (${code}${said}).`)
}

/** One connection by WebSocket, from the upgrade to its end: fails when it ends, which is the only way out. */
export const overWebSocket = (core: Core): Effect.Effect<never, LineDown> =>
  Effect.async<never, LineDown>((resume) => {
    const session = new SocketSession(core, (down) => resume(Effect.fail(down)))
    return session.close()
  })

class SocketSession implements Session {
  readonly transport = "websocket"
  private readonly ws: WebSocket
  private wire: WireSession | null = null
  private over = false
  private pumping = false
  mostBytes = 0
  private heardAt: number
  private pingAt: number | null = null
  private readonly timer: NodeJS.Timeout
  /** Results on this connection, and when they were written to it. */
  private readonly written = new Map<string, number>()

  constructor(private readonly core: Core, private readonly report: (down: LineDown) => void) {
    this.heardAt = core.now()
    this.ws = new WebSocket(below(core.config.url, "/ws/agent", true), {
      headers: { authorization: `Bearer ${Redacted.value(core.config.token)}` },
      perMessageDeflate: false,
      maxPayload: MAX_FRAME_BYTES,
      finishRequest: (request) => {
        request.on("socket", (socket) => socket.unref()) // the host may end when it likes
        request.end()
      }
    })
    this.timer = setTimeout(() => this.down(connectionDown("No hello_ack came within 10 seconds.", true)), HANDSHAKE_MILLIS)
    this.timer.unref()
    this.ws.on("open", () => this.ws.send(Buffer.from(sealHello(`hello_${randomBytes(8).toString("hex")}`, core.hello()))))
    this.ws.on("message", (data: Buffer) => this.receive(data.toString("utf8")))
    this.ws.on("pong", () => this.pong())
    this.ws.on("unexpected-response", (_request, { statusCode }) =>
      this.down(statusCode === 401
        ? new LineDown({ kind: "auth", detail: "The brain does not know the token (HTTP 401)." })
        : connectionDown(`The WebSocket upgrade was answered with HTTP ${statusCode}.`, true)))
    this.ws.on("error", (error) =>
      this.down(connectionDown(`The WebSocket failed: ${error.message}.`, this.wire === null && !nobodyThere.has(codeOf(error)))))
    this.ws.on("close", (code, reason) =>
      this.down((this.wire === null ? closedEarly : closedLater)(code, reason.toString("utf8").slice(0, 123))))
  }

  send = <T extends keyof WirePayloads>(type: T, id: string, payload: WirePayloads[T]): void => {
    if (this.over || this.wire === null || this.ws.readyState !== WebSocket.OPEN) return
    this.ws.send(Buffer.from(seal(type, id, payload, this.wire, this.core.now())))
  }

  wake = (): void => {
    this.sendResults()
    this.pump()
  }

  again = (commandId: string): void => {
    this.written.delete(commandId)
    this.sendResults()
  }

  look = (): void => {
    const now = this.core.now()
    const oldest = this.core.outbox.oldestSentAt
    if (now - this.heardAt > SILENCE_MILLIS + this.core.heartbeatSeconds * 1000) {
      return this.down(connectionDown("The brain has been silent for a minute."))
    }
    if (oldest !== null && now - oldest > ACK_MILLIS) {
      return this.down(connectionDown("The brain has not acknowledged events for 90 seconds."))
    }
    if (this.ws.readyState !== WebSocket.OPEN || this.pingAt !== null) return
    this.pingAt = now
    this.ws.ping()
  }

  /** Ends the connection from our side. */
  close(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      this.leave()
      if (this.ws.readyState === WebSocket.CLOSED) return resume(Effect.void)
      const timer = setTimeout(() => this.ws.terminate(), CLOSE_MILLIS)
      this.ws.once("close", () => {
        clearTimeout(timer)
        resume(Effect.void)
      })
      this.ws.close(1000)
    })
  }

  private receive(text: string): void {
    if (this.over) return
    this.heardAt = this.core.now()
    if (this.wire === null) return this.greet(text)
    const frame = openFromBrain(text, this.wire, this.heardAt)
    if (frame instanceof FrameRefusal) return this.down(connectionDown(describe(frame)))
    switch (frame.type) {
      case "event_batch_ack":
        this.core.proved = true
        if (this.core.outbox.ack(frame.payload.ackedId)) this.pump()
        return
      case "command":
        return this.core.onCommand(frame)
      case "error":
        return this.complained(frame)
      case "heartbeat":
        return
    }
  }

  private greet(text: string): void {
    const ack = openHelloAck(text)
    if (ack instanceof FrameRefusal) {
      const kind: DownKind = ack.reason === "version" ? "incompatible" : "connection"
      return this.down(new LineDown({ kind, detail: `The brain's first message is no hello_ack. ${describe(ack)}`, blocked: kind === "connection" }))
    }
    const { agentId, heartbeatIntervalSeconds, maxFrameSizeBytes, projectId, protocolVersion, sessionId } = ack.payload
    if (protocolVersion !== PROTOCOL_VERSION) {
      return this.down(new LineDown({ kind: "incompatible", detail: `The brain speaks version ${protocolVersion} of the protocol, the agent ${PROTOCOL_VERSION}.` }))
    }
    clearTimeout(this.timer)
    this.wire = new WireSession(this.core.config.key, { agentId, projectId, sessionId })
    this.mostBytes = maxFrameSizeBytes - ENVELOPE_BYTES
    this.core.heartbeatSeconds = heartbeatIntervalSeconds
    this.core.opened(this)
  }

  private complained({ payload }: FrameOf<"error">): void {
    if (!payload.fatal) return this.core.log("warning", `the brain reports: ${payload.code}: ${payload.message.slice(0, 500)}`)
    const kind: DownKind = incompatible.has(payload.code) ? "incompatible" : "protocol"
    this.down(new LineDown({ kind, detail: `The brain ended the session: ${payload.code}: ${payload.message.slice(0, 500)}` }))
  }

  private sendResults(): void {
    for (const entry of this.core.book.outstanding()) {
      if (this.written.has(entry.id)) continue
      this.written.set(entry.id, this.core.now())
      this.send("command_result", entry.id, resultPayload(entry))
    }
  }

  /** The brain has read all that was written before the ping. */
  private pong(): void {
    this.heardAt = this.core.now()
    this.core.proved = true
    if (this.pingAt === null) return
    const before = this.pingAt - CONFIRM_MILLIS
    this.pingAt = null
    const read = [...this.written].filter(([, at]) => at <= before).map(([id]) => id)
    if (read.length === 0) return
    this.core.book.confirm(read)
    for (const id of read) this.written.delete(id)
  }

  /** One frame a turn of the event loop, so that the host gets its own. */
  private pump(): void {
    if (this.pumping || this.over) return
    this.pumping = true
    if (this.ws.bufferedAmount > MOST_BUFFERED_BYTES) setTimeout(this.turn, LOOK_AGAIN_MILLIS).unref()
    else setImmediate(this.turn)
  }

  private readonly turn = (): void => {
    this.pumping = false
    if (this.over || this.wire === null || this.ws.readyState !== WebSocket.OPEN) return
    if (this.ws.bufferedAmount > MOST_BUFFERED_BYTES) return this.pump()
    const parcel = this.core.outbox.next(this.mostBytes)
    if (parcel === null) return
    // bodies are lists already, spliced one after the other
    this.send("event_batch", parcel.id, { events: parcel.bodies.map((body) => new CanonicalText(body)) })
    this.pump()
  }

  private down(down: LineDown): void {
    if (this.over) return
    this.leave()
    this.report(down)
    if (this.ws.readyState === WebSocket.OPEN) this.ws.close(1000)
    // a peer that does not answer the close is cut; its socket alone keeps nobody alive
    if (this.ws.readyState === WebSocket.CONNECTING) this.ws.terminate()
    else if (this.ws.readyState !== WebSocket.CLOSED) setTimeout(() => this.ws.terminate(), CLOSE_MILLIS).unref()
  }

  private leave(): void {
    if (this.over) return
    this.over = true
    clearTimeout(this.timer)
    if (this.core.session === this) this.core.ended()
  }
}
