import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { AgentSessions } from "../../../src/services/AgentSessions.ts"
import { connectAgent, freshAgent, longPoll } from "../../agent.ts"
import { baseUrl, freshProject, serverOn } from "../../brain.ts"
import { type Engine, engines } from "../../databases.ts"
import { until } from "../../until.ts"

/** A peer that upgrades and then neither reads nor answers. */
const mutePeer = (base: string, token: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET /ws/agent HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${
            randomBytes(16).toString("base64")
          }\r\nAuthorization: Bearer ${token}\r\n\r\n`
      )
    })
    socket.once("error", reject)
    socket.once("data", () => {
      socket.pause()
      socket.on("error", () => {})
      resolve(socket)
    })
  })

/** Runs the effect in a server, and then ends it as SIGTERM does: by an interruption of the fiber that runs it. */
const useAndInterrupt = <A, E>(engine: Engine, use: Effect.Effect<A, E, ServerServices>) =>
  Effect.gen(function*() {
    const result = yield* Deferred.make<A, E>()
    const server = use.pipe(
      Effect.intoDeferred(result),
      Effect.zipRight(Effect.never),
      Effect.provide(serverOn(engine))
    )
    const fiber = yield* Effect.fork(server)
    const used = yield* Deferred.await(result)
    yield* Fiber.interrupt(fiber).pipe(
      Effect.timeoutFail({ duration: "10 seconds", onTimeout: () => "still up" })
    )
    return used
  })

type ServerServices = Layer.Layer.Success<ReturnType<typeof serverOn>>

describe.each(engines)("shutdown on %s", (engine) => {
  it.live("closes agents with 1012, lets polls go, and does not wait for a mute peer", () =>
    Effect.gen(function*() {
      const opened = yield* useAndInterrupt(
        engine,
        Effect.gen(function*() {
          const project = yield* freshProject()
          const credentials = yield* freshAgent(project)
          const options = { base: yield* baseUrl, project_id: project.id, ...credentials }
          const agent = yield* Effect.promise(() => connectAgent(options))
          const mute = yield* Effect.promise(() => mutePeer(options.base, options.token))
          const poll = longPoll(options)
          const polled = poll.pull(60)
          const line = yield* AgentSessions
          yield* until(Effect.sync(() => line.sessions(credentials.agent_id).length), (sessions) => sessions === 2)
          return { agent, mute, polled }
        })
      )
      assert.deepInclude(yield* Effect.promise(() => opened.agent.closed), { code: 1012 })
      assert.deepStrictEqual((yield* Effect.promise(() => opened.polled)).json, { frames: [] })
      opened.mute.destroy()
    }), 30_000)
})
