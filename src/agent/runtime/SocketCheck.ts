import { Data, Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import WebSocket from "ws"
import { version } from "../../domain/kernel/Version.ts"
import { FrameRefusal } from "../../protocol/Envelope.ts"
import { decodeBrainFrame, encodeFrame, WireSession } from "../../protocol/Frame.ts"
import { decodeHelloAckFrame, encodeHelloFrame } from "../../protocol/Hello.ts"
import { PROTOCOL_VERSION } from "../../protocol/Payload.ts"
import { describeFrameRefusal } from "./FrameText.ts"
import { type BrainConfig, urlBelow } from "./Options.ts"

export class SocketFailed extends Data.TaggedError("SocketFailed")<{
  readonly message: string
  /** The handshake succeeded, and the signature was refused. */
  readonly isBadSignature: boolean
}> {}

const TIMEOUT = "10 seconds"

/** Connects by WebSocket as an agent without engines, sends a signed batch of no events, and waits for its ack. */
export const checkWebSocket = (brain: BrainConfig): Effect.Effect<void, SocketFailed> =>
  Effect.scoped(
    Effect.flatMap(Effect.all([Effect.clock, openSocket(brain)]), ([clock, ws]) =>
      Effect.async<void, SocketFailed>((resume) => {
        const fail = (message: string, isBadSignature = false) =>
          resume(new SocketFailed({ message, isBadSignature }))
        const batch = `ev_${randomUUID().replaceAll("-", "")}`
        let wire: WireSession | null = null
        ws.on("error", (error) => fail(`The WebSocket failed: ${error.message}.`))
        ws.on("close", (code, reason) =>
          fail(
            `The brain closed the WebSocket (${code}: ${reason.toString("utf8").slice(0, 123)}).`,
            wire !== null && /signature/.test(reason.toString("utf8"))
          ))
        ws.on("open", () => ws.send(encodeHelloFrame("hello_doctor", doctorHello())))
        ws.on("message", (data: Buffer) => {
          const now = clock.unsafeCurrentTimeMillis()
          if (wire === null) {
            const ack = decodeHelloAckFrame(data.toString("utf8"))
            if (ack instanceof FrameRefusal) {
              return fail(`The brain's first message is not a hello_ack. ${describeFrameRefusal(ack)}`)
            }
            wire = new WireSession(brain.key, ack.payload)
            return ws.send(encodeFrame("event_batch", batch, { events: [] }, wire, now))
          }
          const frame = decodeBrainFrame(data.toString("utf8"), wire, now)
          if (frame instanceof FrameRefusal) {
            return fail(describeFrameRefusal(frame), frame.reason === "bad_signature")
          }
          if (frame.type === "event_batch_ack" && frame.payload.ackedId === batch) resume(Effect.void)
        })
      }).pipe(
        Effect.timeoutFail({
          duration: TIMEOUT,
          onTimeout: () =>
            new SocketFailed({
              message: "The brain did not answer by WebSocket within 10 seconds.",
              isBadSignature: false
            })
        })
      ))
  )

const openSocket = (brain: BrainConfig) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const headers = { authorization: `Bearer ${Redacted.value(brain.token)}` }
      return new WebSocket(urlBelow(brain.url, "/ws/agent", true), { headers, perMessageDeflate: false })
    }),
    (ws) => Effect.sync(() => ws.terminate())
  )

const doctorHello = (): Parameters<typeof encodeHelloFrame>[1] => ({
  protocol_version: PROTOCOL_VERSION,
  agent_version: version,
  framework: "doctor",
  engines: [],
  schedulers: [],
  capabilities: {},
  host: {},
  worker_id: `doctor-${randomUUID()}`,
  worker_role: "other",
  worker_pid: process.pid,
  worker_started_at: null,
  runtime_features: []
})
