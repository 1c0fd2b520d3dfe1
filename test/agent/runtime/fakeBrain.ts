import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { canonicalTextOf } from "../../../src/domain/kernel/CanonicalJson.ts"
import { FrameRefusal } from "../../../src/protocol/Envelope.ts"
import {
  type AgentFrame,
  decodeAgentFrame,
  encodeFrame,
  type WirePayloads,
  WireSession
} from "../../../src/protocol/Frame.ts"
import { decodeHelloFrame, encodeHelloAckFrame, type HelloFrame } from "../../../src/protocol/Hello.ts"
import { signingKey } from "../../../src/protocol/Signing.ts"

/** One connection at the fake brain; after `welcome` its frames are signed and read. */
export class FakeConnection {
  wire: WireSession | null = null
  hello: HelloFrame | null = null

  constructor(readonly ws: WebSocket, private readonly key: Buffer) {}

  welcome(fields: Partial<Parameters<typeof encodeHelloAckFrame>[1]> = {}): void {
    const ids = { agentId: randomUUID(), projectId: randomUUID(), sessionId: randomUUID() }
    this.wire = new WireSession(signingKey(this.key), ids)
    this.ws.send(encodeHelloAckFrame("hello_ack_1", {
      protocol_version: "2",
      brain_version: "",
      agent_id: ids.agentId,
      project_id: ids.projectId,
      session_id: ids.sessionId,
      heartbeat_interval_seconds: 1,
      max_frame_size_bytes: 1_048_576,
      ...fields
    }))
  }

  send<T extends "event_batch_ack" | "command" | "error">(
    type: T,
    id: string,
    payload: WirePayloads[T],
    skew = 0
  ): void {
    if (this.wire === null) throw new Error("welcome first")
    this.ws.send(encodeFrame(type, id, payload, this.wire, Date.now() + skew))
  }

  ack(id: string): void {
    this.send("event_batch_ack", `eba_${randomUUID()}`, { acked_id: id, received: 1, accepted: 1, rejected: 0 })
  }

  command(id: string, action: string, parameters: WirePayloads["command"]["parameters"] = {}): void {
    this.send("command", id, {
      action,
      target: {},
      parameters,
      timeout_seconds: 60,
      issued_by: null,
      delivery_claim_token: "claim"
    })
  }
}

/** What the fake brain does; each part may be changed at any time. */
export interface Manners {
  upgrade: (request: IncomingMessage, socket: Duplex) => "refused" | "taken"
  onHello: (connection: FakeConnection) => void
  onFrame: (connection: FakeConnection, frame: AgentFrame) => void
  onRequest: (request: IncomingMessage, response: ServerResponse, body: string) => void
}

/** A server that speaks the brain's protocol as badly as the test wants. */
export class FakeBrain {
  readonly token = "fake-token"
  readonly key = randomBytes(32)
  readonly hmac_secret = this.key.toString("base64url")
  readonly connections: Array<FakeConnection> = []
  readonly frames: Array<AgentFrame> = []
  /** Ids of events in acknowledged batches. */
  readonly events = new Set<string>()
  /** Frames that failed their checks. */
  readonly refusals: Array<string> = []
  readonly manners: Manners = {
    upgrade: () => "taken",
    onHello: (connection) => connection.welcome(),
    onFrame: (connection, frame) => {
      if (frame.type !== "event_batch") return
      this.store(frame)
      connection.ack(frame.id)
    },
    onRequest: (_request, response) => {
      response.statusCode = 404
      response.end()
    }
  }
  url = ""
  private readonly server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => this.manners.onRequest(request, response, Buffer.concat(chunks).toString()))
  })
  private readonly wss = new WebSocketServer({ noServer: true })
  private readonly sockets = new Set<Duplex>()

  store(frame: Extract<AgentFrame, { readonly type: "event_batch" }>): void {
    for (const event of frame.payload.events) this.events.add(JSON.parse(canonicalTextOf(event)).task_id)
  }

  listen(): Promise<void> {
    this.server.on("connection", (socket) => this.sockets.add(socket))
    this.server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => {})
      if (this.manners.upgrade(request, socket) === "refused") return
      this.wss.handleUpgrade(request, socket, head, (ws) => this.serve(new FakeConnection(ws, this.key)))
    })
    return new Promise((resolve) =>
      this.server.listen(0, "127.0.0.1", () => {
        const address = this.server.address()
        this.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        resolve()
      })
    )
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }

  private serve(connection: FakeConnection): void {
    this.connections.push(connection)
    connection.ws.on("error", () => {})
    connection.ws.on("message", (data: Buffer) => {
      if (connection.hello === null) {
        const hello = decodeHelloFrame(data.toString())
        if (hello instanceof FrameRefusal) throw new Error(`no hello: ${hello.reason}`)
        connection.hello = hello
        return this.manners.onHello(connection)
      }
      if (connection.wire === null) return
      const frame = decodeAgentFrame(data.toString(), connection.wire, Date.now())
      if (frame instanceof FrameRefusal) return void this.refusals.push(frame.reason)
      this.frames.push(frame)
      this.manners.onFrame(connection, frame)
    })
  }
}

/** A fake brain, closed with the scope. */
export const fakeBrain = Effect.acquireRelease(
  Effect.promise(async () => {
    const brain = new FakeBrain()
    await brain.listen()
    return brain
  }),
  (brain) => Effect.promise(() => brain.close())
)
