import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { AgentSessions } from "../../src/services/agents/AgentSessions.ts"
import type { SettingsShape } from "../../src/services/kernel/Settings.ts"
import { connectAgent, freshAgent, longPoll } from "../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { type Engine, temporaryHome } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { until } from "../until.ts"

/** A peer that upgrades and then neither reads nor writes. */
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
const useAndInterrupt = <A, E>(
  engine: Engine,
  use: Effect.Effect<A, E, ServerServices>,
  settings: Partial<SettingsShape> = {}
) =>
  Effect.gen(function*() {
    const result = yield* Deferred.make<A, E>()
    const server = use.pipe(
      Effect.intoDeferred(result),
      Effect.zipRight(Effect.never),
      Effect.provide(serverOn(engine, settings))
    )
    const fiber = yield* Effect.fork(server)
    const used = yield* Deferred.await(result)
    yield* Fiber.interrupt(fiber).pipe(
      Effect.timeoutFail({ duration: "10 seconds", onTimeout: () => "still up" })
    )
    return used
  })

type ServerServices = Layer.Layer.Success<ReturnType<typeof serverOn>>

describe.each(laneEngines)("shutdown on %s", (engine) => {
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
    }))
})

describe("shutdown while an agent executes a command", () => {
  it.scopedLive("waits for the result, and sends no further command", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const opened = yield* useAndInterrupt(
        "SQLite",
        Effect.gen(function*() {
          const project = yield* freshProject()
          const { token } = yield* freshKey({ roles: { [project.id]: "operator" } })
          const credentials = yield* freshAgent(project)
          const options = { base: yield* baseUrl, project_id: project.id, ...credentials }
          const agent = yield* Effect.promise(() => connectAgent(options))
          const body = { agent_id: credentials.agent_id, engine: "celery", task_id: "t" }
          const issue = request("POST", `/projects/${project.slug}/commands/cancel-task`, { token, body })
          yield* issue
          const command = yield* Effect.promise(() => agent.command())
          agent.ack(command)
          const sendingResult = sleep(500).then(() => agent.sendResult(command, { status: "success" }))
          return { agent, sendingResult, id: command.id }
        }),
        { home }
      )
      yield* Effect.promise(() => opened.sendingResult)
      assert.deepInclude(yield* Effect.promise(() => opened.agent.closed), { code: 1012 })
      const db = new BetterSqlite3(join(home, "svc.db"), { readonly: true })
      assert.strictEqual(db.prepare("SELECT status FROM commands WHERE id = ?").pluck().get(opened.id), "completed")
      db.close()
    }))
})
