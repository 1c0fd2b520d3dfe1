import { Effect, type Fiber, Option } from "effect"
import type { Duplex } from "node:stream"
import type WebSocket from "ws"
import { version } from "../domain/kernel/Version.ts"
import { FrameRefusal } from "../protocol/Envelope.ts"
import { WireSession } from "../protocol/Frame.ts"
import { decodeHelloFrame, encodeHelloAckFrame, type HelloFrame } from "../protocol/Hello.ts"
import { BRAIN_FEATURES, MAX_FRAME_BYTES, PROTOCOL_VERSION } from "../protocol/Payload.ts"
import type { Presence } from "../services/agents/Presence.ts"
import type { AgentIdentity } from "../services/kernel/CurrentActor.ts"
import * as Ids from "../services/kernel/Ids.ts"
import { processInfoFromHello, wireSessionArgs } from "./ProcessInfo.ts"
import { describeGatewayRefusal, type GatewayReason } from "./Refusals.ts"
import { closeCode, closeSocket } from "./SocketClose.ts"
import { type GatewayContext, SocketSession } from "./SocketSession.ts"

const helloTimeoutMillis = 10_000
/** Before the session: an agent that leaves so much unread gets no further pongs. */
const maxPongBytes = 64 * 1024

export interface ConnectionContext {
  readonly gateway: GatewayContext
  readonly presence: Presence
  readonly heartbeatSeconds: number
}

/**
 * An authenticated socket from the upgrade to its close. It does the handshake and then passes messages to its
 * session. Every refusal comes before hello_ack: only then do the published agents back off (the agents' protocol,
 * section 1.1).
 *
 * | state | event | what is done | what is sent |
 * |---|---|---|---|
 * | awaiting hello | a valid hello | the process is stored as online → connecting | nothing |
 * | awaiting hello | an invalid hello; none within 10 s | the refusal is recorded → refused | close 4400 |
 * | awaiting hello | a hello of another protocol version | the refusal is recorded → refused | close 4426 |
 * | connecting | the process is stored | a session is registered → open | hello_ack |
 * | connecting | the agent was deleted | – | close 4401 |
 * | connecting | a message | the refusal is recorded → refused | close 4400 |
 * | open | a message | handled by the session | |
 * | awaiting hello, connecting | a ping | – | pong |
 * | all | a broken WebSocket frame | the refusal is recorded | close 1008, 1009 over 1 MiB |
 * | all | the socket closes | the handshake is interrupted, or the session ends | nothing |
 */
export class SocketConnection {
  private session: SocketSession | null = null
  /** Runs `connect`, once a valid hello has come. */
  private connectFiber: Fiber.RuntimeFiber<void> | null = null
  private isRefused = false
  private helloTimer: NodeJS.Timeout | undefined = undefined

  constructor(
    private readonly ws: WebSocket,
    private readonly socket: Duplex,
    private readonly identity: AgentIdentity,
    private readonly context: ConnectionContext
  ) {}

  serve(): void {
    const onTimeout = () => this.refuse("hello_timeout", "No hello within 10 seconds.", closeCode.badHello)
    this.helloTimer = setTimeout(onTimeout, helloTimeoutMillis)
    this.ws.on("message", (data: Buffer) => this.receive(data))
    this.ws.on("ping", (data) => this.receivePing(data))
    this.ws.on("pong", () => this.recordActivity())
    this.ws.on("error", (error) => this.onError(error))
    this.ws.on("close", (code) => this.onClose(code))
  }

  private receive(data: Buffer): void {
    if (this.session !== null) this.session.receive(data)
    else if (this.connectFiber !== null) {
      this.refuse("unexpected_type", "A message between hello and hello_ack.", closeCode.badHello)
    } else if (!this.isRefused) this.receiveHello(data.toString("utf8"))
  }

  /** Before its session an agent has no frame that a pong could overtake. */
  private receivePing(data: Buffer): void {
    if (this.session !== null) this.session.receivePing(data)
    else if (this.ws.readyState === this.ws.OPEN && this.ws.bufferedAmount <= maxPongBytes) this.ws.pong(data)
  }

  private receiveHello(text: string): void {
    const hello = decodeHelloFrame(text)
    if (hello instanceof FrameRefusal) {
      return hello.reason === "version"
        ? this.refuse("protocol_version", "The hello has another version than 2.", closeCode.protocolVersion)
        : this.refuse(
          "bad_hello",
          `The first message is not a hello. ${describeGatewayRefusal(hello)}`,
          closeCode.badHello
        )
    }
    const { protocolVersion } = hello.payload
    if (protocolVersion !== PROTOCOL_VERSION) {
      const detail = `The agent speaks version ${protocolVersion} of the protocol, the brain ${PROTOCOL_VERSION}.`
      return this.refuse("protocol_version", detail, closeCode.protocolVersion)
    }
    clearTimeout(this.helloTimer)
    this.connectFiber = this.context.gateway.fork(this.connect(hello))
  }

  /** Stores the process as online, then sends hello_ack and opens the session. */
  private connect(hello: HelloFrame): Effect.Effect<void> {
    return Effect.gen(this, function*() {
      const sessionId = yield* Ids.next
      const info = processInfoFromHello(this.identity, hello, sessionId)
      const handle = yield* this.context.presence.connect(info, {
        onReplacedOrRevoked: (why) => this.session?.close(why),
        isPaused: () => this.session?.isPaused ?? false
      })
      if (Option.isNone(handle)) return closeSocket(this.ws, closeCode.tokenVoid, "the agent was deleted")
      if (this.isRefused || this.ws.readyState !== this.ws.OPEN) return handle.value.disconnect(false)
      const { gateway } = this.context
      const { agentId, projectId } = info
      gateway.refusals.noteAltered({ agentId, projectId, transport: "websocket" }, "hello", hello.payload.altered)
      const wire = new WireSession(...wireSessionArgs(this.identity, sessionId))
      this.session = new SocketSession(this.ws, this.socket, wire, info, handle.value, gateway)
      this.sendHelloAck(hello, sessionId)
      gateway.sessions.add(this.session)
    })
  }

  private sendHelloAck(hello: HelloFrame, sessionId: string): void {
    const features = BRAIN_FEATURES.filter((feature) => hello.payload.runtimeFeatures.includes(feature))
    this.ws.send(encodeHelloAckFrame(`hello_ack_${sessionId}`, {
      protocol_version: PROTOCOL_VERSION,
      brain_version: brainVersionFor(hello.payload.agentVersion),
      agent_id: this.identity.agent_id,
      project_id: this.identity.project_id,
      session_id: sessionId,
      heartbeat_interval_seconds: this.context.heartbeatSeconds,
      max_frame_size_bytes: MAX_FRAME_BYTES,
      ...(features.length > 0 && { features })
    }))
  }

  private recordActivity(): void {
    if (this.session !== null) this.session.lastActivityAt = this.context.gateway.clock.unsafeCurrentTimeMillis()
  }

  /** A broken WebSocket frame is the agent's fault and recorded; a lost connection is not. */
  private onError(error: Error & { readonly code?: string }): void {
    if (error.code?.startsWith("WS_ERR") !== true) return
    const [reason, detail, code] = error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
      ? ["too_long", "A message is longer than 1 MiB.", closeCode.tooBig] as const
      : ["websocket", "The WebSocket protocol was broken.", closeCode.policy] as const
    if (this.session !== null) this.session.refuse(reason, detail, code)
    else this.refuse(reason, detail, code)
  }

  private onClose(code: number): void {
    clearTimeout(this.helloTimer)
    this.session?.onClose(code)
    this.connectFiber?.unsafeInterruptAsFork(this.connectFiber.id())
  }

  private refuse(reason: GatewayReason, detail: string, code: number): void {
    if (this.isRefused) return
    this.isRefused = true
    clearTimeout(this.helloTimer)
    const { agent_id: agentId, project_id: projectId } = this.identity
    this.context.gateway.refusals.refuse({ agentId, projectId, transport: "websocket" }, reason, detail)
    closeSocket(this.ws, code, detail)
  }
}

/** Published agents log a warning at each connection to a brain of another major.minor version than theirs. */
const brainVersionFor = (agentVersion: string): string => minorOf(agentVersion) === minorOf(version) ? version : ""

const minorOf = (text: string): string => text.split(".", 2).join(".")
