import { Data, Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import WebSocket from "ws"
import { version } from "../../domain/Version.ts"
import { FrameRefusal } from "../protocol/Envelope.ts"
import { openFromBrain, seal, WireSession } from "../protocol/Frame.ts"
import { openHelloAck, sealHello } from "../protocol/Hello.ts"
import { PROTOCOL_VERSION } from "../protocol/Payload.ts"
import { below, type Brain } from "./Options.ts"
import { describe } from "./Wording.ts"

export class SocketFailed extends Data.TaggedError("SocketFailed")<{
  readonly message: string
  /** The handshake was fine, and the signature was not. */
  readonly unsigned: boolean
}> {}

const PATIENCE = "10 seconds"

/** Connects by WebSocket as an agent without engines, sends a signed batch of no events, and waits for its ack. */
export const trySocket = (brain: Brain): Effect.Effect<void, SocketFailed> =>
  Effect.scoped(Effect.flatMap(Effect.all([Effect.clock, socketTo(brain)]), ([clock, ws]) => Effect.async<void, SocketFailed>((resume) => {
    const fail = (message: string, unsigned = false) => resume(new SocketFailed({ message, unsigned }))
    const batch = `ev_${randomUUID().replaceAll("-", "")}`
    let wire: WireSession | null = null
    ws.on("error", (error) => fail(`The WebSocket failed: ${error.message}.`))
    ws.on("close", (code, reason) =>
      fail(`The brain closed the WebSocket (${code}: ${reason.toString("utf8").slice(0, 123)}).`, wire !== null && /signature/.test(reason.toString("utf8"))))
    ws.on("open", () => ws.send(sealHello("hello_doctor", helloOf())))
    ws.on("message", (data: Buffer) => {
      const now = clock.unsafeCurrentTimeMillis()
      if (wire === null) {
        const ack = openHelloAck(data.toString("utf8"))
        if (ack instanceof FrameRefusal) return fail(`The brain's first message is no hello_ack. ${describe(ack)}`)
        wire = new WireSession(brain.key, ack.payload)
        return ws.send(seal("event_batch", batch, { events: [] }, wire, now))
      }
      const frame = openFromBrain(data.toString("utf8"), wire, now)
      if (frame instanceof FrameRefusal) return fail(describe(frame), frame.reason === "bad_signature")
      if (frame.type === "event_batch_ack" && frame.payload.ackedId === batch) resume(Effect.void)
    })
  }).pipe(
    Effect.timeoutFail({ duration: PATIENCE, onTimeout: () => new SocketFailed({ message: "The brain did not answer by WebSocket within 10 seconds.", unsigned: false }) })
  )))

const socketTo = (brain: Brain) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const headers = { authorization: `Bearer ${Redacted.value(brain.token)}` }
      return new WebSocket(below(brain.url, "/ws/agent", true), { headers, perMessageDeflate: false })
    }),
    (ws) => Effect.sync(() => ws.terminate())
  )

const helloOf = (): Parameters<typeof sealHello>[1] => ({
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
