import { Effect, type Fiber, Option } from "effect"
import type { Duplex } from "node:stream"
import type WebSocket from "ws"
import { version } from "../../domain/Version.ts"
import type { AgentIdentity } from "../../services/CurrentActor.ts"
import * as Ids from "../../services/Ids.ts"
import type { Presence } from "../../services/Presence.ts"
import { FrameRefusal } from "../protocol/Envelope.ts"
import { WireSession } from "../protocol/Frame.ts"
import { type HelloFrame, decodeHelloFrame, encodeHelloAckFrame } from "../protocol/Hello.ts"
import { MAX_FRAME_BYTES, PROTOCOL_VERSION } from "../protocol/Payload.ts"
import { processInfoFromHello, wireSessionArgs } from "./ProcessInfo.ts"
import { describeRefusal, type GatewayReason } from "./Refusals.ts"
import { closeCode, closeSocket, type GatewayContext, SocketSession } from "./SocketSession.ts"

const helloTimeoutMillis = 10_000

export interface ConnectionContext {
  readonly gateway: GatewayContext
  readonly presence: Presence
  readonly heartbeatSeconds: number
  readonly forkFiber: <A>(effect: Effect.Effect<A>) => Fiber.RuntimeFiber<A>
}

/** Published agents log a warning at each connection to a brain of another major.minor version than theirs. */
const brainVersionFor = (agentVersion: string): string => minorOf(agentVersion) === minorOf(version) ? version : ""

const minorOf = (text: string): string => text.split(".", 2).join(".")

/**
 * An admitted socket from its opening to its end. Waits for the hello, writes the process down as online, answers
 * hello_ack, and hands the socket to its session. Whoever cannot come in is refused before hello_ack, which makes an
 * agent wait longer and longer before it tries again (the agents' protocol, section 1.1).
 */
export const serveSocket = (ws: WebSocket, socket: Duplex, identity: AgentIdentity, context: ConnectionContext): void => {
  const { gateway } = context
  const peer = { agentId: identity.agent_id, projectId: identity.project_id, transport: "websocket" as const }
  let session: SocketSession | null = null
  let connectFiber: Fiber.RuntimeFiber<void> | null = null
  let isRefused = false

  const refuse = (reason: GatewayReason, detail: string, code: number): void => {
    if (isRefused) return
    isRefused = true
    clearTimeout(timer)
    gateway.refusals.refuse(peer, reason, detail)
    closeSocket(ws, code, detail.slice(0, 120))
  }
  const timer = setTimeout(() => refuse("hello_timeout", "No hello within 10 seconds.", closeCode.badHello), helloTimeoutMillis)

  const connect = (hello: HelloFrame) =>
    Effect.gen(function*() {
      const sessionId = yield* Ids.next
      const info = processInfoFromHello(identity, hello, sessionId)
      const handle = yield* context.presence.connect(info, {
        onLost: (why) => session?.close(why),
        isPaused: () => session?.isPaused ?? false
      })
      if (Option.isNone(handle)) return closeSocket(ws, closeCode.tokenVoid, "the agent was deleted")
      if (isRefused || ws.readyState !== ws.OPEN) return handle.value.disconnect()
      session = new SocketSession(ws, socket, new WireSession(...wireSessionArgs(identity, sessionId)), info, handle.value, gateway)
      ws.send(encodeHelloAckFrame(`hello_ack_${sessionId}`, {
        protocol_version: PROTOCOL_VERSION,
        brain_version: brainVersionFor(hello.payload.agentVersion),
        agent_id: identity.agent_id,
        project_id: identity.project_id,
        session_id: sessionId,
        heartbeat_interval_seconds: context.heartbeatSeconds,
        max_frame_size_bytes: MAX_FRAME_BYTES
      }))
      gateway.sessions.add(session)
    })

  const hello = (text: string): void => {
    const frame = decodeHelloFrame(text)
    if (frame instanceof FrameRefusal) {
      return frame.reason === "version"
        ? refuse("protocol_version", "The hello has another version than 2.", closeCode.protocolVersion)
        : refuse("bad_hello", `The first message is no hello. ${describeRefusal(frame)}`, closeCode.badHello)
    }
    if (frame.payload.protocolVersion !== PROTOCOL_VERSION) {
      const detail = `The agent speaks version ${frame.payload.protocolVersion} of the protocol, the brain ${PROTOCOL_VERSION}.`
      return refuse("protocol_version", detail, closeCode.protocolVersion)
    }
    clearTimeout(timer)
    connectFiber = context.forkFiber(connect(frame))
  }

  ws.on("message", (data: Buffer) => {
    if (session !== null) session.receive(data)
    else if (connectFiber !== null) refuse("unexpected_type", "A message between hello and hello_ack.", closeCode.badHello)
    else if (!isRefused) hello(data.toString("utf8"))
  })
  const recordActivity = () => {
    if (session !== null) session.lastActivityAt = gateway.clock.unsafeCurrentTimeMillis()
  }
  ws.on("ping", recordActivity)
  ws.on("pong", recordActivity)
  ws.on("error", (error: Error & { readonly code?: string }) => {
    // what breaks the WebSocket protocol is the agent's fault; a broken connection is nobody's
    if (error.code?.startsWith("WS_ERR") !== true) return
    const tooBig = error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
    const reason = tooBig ? "too_long" : "websocket"
    const detail = tooBig ? "A message is longer than 1 MiB." : "The WebSocket protocol was broken."
    const code = tooBig ? closeCode.tooBig : closeCode.policy
    if (session !== null) session.refuse(reason, detail, code)
    else refuse(reason, detail, code)
  })
  ws.on("close", () => {
    clearTimeout(timer)
    session?.onClose()
    connectFiber?.unsafeInterruptAsFork(connectFiber.id())
  })
}
