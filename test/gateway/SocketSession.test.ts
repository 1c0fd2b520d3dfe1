import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, FiberSet } from "effect"
import { createSecretKey } from "node:crypto"
import type { Duplex } from "node:stream"
import { WebSocket, WebSocketServer } from "ws"
import { noNamespace } from "../../src/domain/agents/TaskNamespace.ts"
import { AgentId, ProjectId } from "../../src/domain/kernel/Id.ts"
import { DenseFrames } from "../../src/gateway/DenseFrames.ts"
import { Receiver } from "../../src/gateway/Receiver.ts"
import { Refusals } from "../../src/gateway/Refusals.ts"
import { SessionRegistry } from "../../src/gateway/SessionRegistry.ts"
import { SocketSession } from "../../src/gateway/SocketSession.ts"
import { WireSession } from "../../src/protocol/Frame.ts"
import type { PresenceHandle, ProcessInfo } from "../../src/services/agents/Presence/Model.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { brainOn } from "../brain.ts"
import { idOf } from "../ids.ts"

/** The server's end of a WebSocket, with its TCP socket. */
const serverSocket = Effect.gen(function*() {
  const wss = yield* Effect.acquireRelease(
    Effect.async<WebSocketServer>((resume) => {
      const server: WebSocketServer = new WebSocketServer(
        { port: 0, host: "127.0.0.1" },
        () => resume(Effect.succeed(server))
      )
    }),
    (server) => Effect.sync(() => server.close())
  )
  return yield* Effect.async<{ readonly ws: WebSocket; readonly socket: Duplex }>((resume) => {
    wss.once("connection", (ws, { socket }) => resume(Effect.succeed({ ws, socket })))
    const address = wss.address()
    const client = new WebSocket(`ws://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
    client.on("error", () => {}) // the test ends the connection
  })
})

const presence: PresenceHandle = {
  touch: () => {},
  reportAdapterHealth: () => {},
  reportTelemetryLoss: () => {},
  reportTaskWorker: () => {},
  setAdvice: () => {},
  namespace: noNamespace,
  reportApart: () => {},
  disconnect: () => {}
}

const processInfo = (sessionId: string): ProcessInfo => ({
  agentId: idOf(AgentId, "a"),
  projectId: idOf(ProjectId, "p"),
  sessionId,
  workerId: "w",
  exclusive: true,
  protocolVersion: "2",
  agentVersion: null,
  framework: null,
  engines: [],
  schedulers: [],
  features: [],
  capabilities: {},
  hostName: null,
  role: null,
  pid: null,
  startedAt: null,
  sources: {}
})

layer(brainOn("SQLite"), { excludeTestServices: true })("a session that closes", (it) => {
  it.scoped("withdraws its large frame, so that the thread does not decode it", () =>
    Effect.gen(function*() {
      const { socket, ws } = yield* serverSocket
      const started = yield* Deferred.make<void>()
      const withdrawn = yield* Deferred.make<void>()
      const fork = yield* FiberSet.makeRuntime<never>()
      const sessionId = yield* Ids.next
      const wire = new WireSession(createSecretKey(Buffer.alloc(32)), { agentId: "a", projectId: "p", sessionId })
      const session = new SocketSession(ws, socket, wire, processInfo(sessionId), presence, {
        clock: yield* Effect.clock,
        receiver: yield* Receiver,
        refusals: yield* Refusals,
        denseFrames: new DenseFrames({
          decode: () =>
            Effect.zipRight(Deferred.succeed(started, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Deferred.succeed(withdrawn, undefined))
            )
        }),
        sessions: yield* SessionRegistry,
        fork: (effect) => fork(effect),
        scheduleAcks: () => {},
        blockedSessions: new Set(),
        isDraining: () => false
      })
      session.receive(Buffer.from(`[${"0,".repeat(50_000)}0]`))
      yield* Deferred.await(started)
      assert.isTrue(session.isBusy)
      session.terminate()
      yield* Deferred.await(withdrawn)
      assert.isFalse(session.isBusy)
    }))
})
