import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { AgentSessions } from "../../../src/services/AgentSessions.ts"
import { connectAgent, freshAgent, longPoll } from "../../agent.ts"
import { baseUrl, freshProject, serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
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

describe.each(engines)("shutdown on %s", (engine) => {
  it.live("closes agents with 1012, lets polls go, and does not wait for a mute peer", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(serverOn(engine), scope)
      const opened = yield* Effect.gen(function*() {
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
      }).pipe(Effect.provide(context))
      yield* Scope.close(scope, Exit.void).pipe(
        Effect.timeoutFail({ duration: "10 seconds", onTimeout: () => "still up" })
      )
      assert.deepInclude(yield* Effect.promise(() => opened.agent.closed), { code: 1012 })
      assert.deepStrictEqual((yield* Effect.promise(() => opened.polled)).json, { frames: [] })
      opened.mute.destroy()
    }), 30_000)
})
