import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type WebSocket from "ws"
import { system } from "../../src/domain/kernel/Actor.ts"
import { Commands } from "../../src/services/commands/Commands.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import { connected, freshAgent } from "../agent.ts"
import { baseUrl, freshProject, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { until } from "../until.ts"

const fresh = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  return { project, base: yield* baseUrl, ...credentials }
})

const pongOf = (ws: WebSocket, text: string): Promise<void> =>
  new Promise((resolve) => ws.on("pong", (data: Buffer) => (data.toString() === text ? resolve() : undefined)))

describe.each(laneEngines)("pings of an agent on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("get their pongs once the results before them are committed", () =>
      Effect.gen(function*() {
        const { project, ...options } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const commands = yield* Commands
        const inProject = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          effect.pipe(
            Effect.provideService(CurrentActor, system("test")),
            Effect.provideService(CurrentProject, project)
          )
        const agent = yield* connected(options)
        agent.onCommand = () => {}
        const { id } = yield* inProject(commands.restartWorker({
          agent_id: options.agent_id,
          engine: null,
          worker_name: "w1@box",
          idempotency_key: null
        }))
        yield* Effect.promise(() => agent.command("restart_worker"))
        yield* until(inProject(commands.get(id)), ({ status }) => status === "dispatched")

        const log: Array<string> = []
        const release = yield* Deferred.make<void>()
        const locked = yield* Deferred.make<void>()
        // on SQLite the transaction holds the one writer, on PostgreSQL the command's row
        const holder = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
          yield* sql`UPDATE commands SET id = id WHERE id = ${id}`
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(release)
          log.push("released")
        })))
        yield* Deferred.await(locked)
        const pong = pongOf(agent.ws, "after the result").then(() => log.push("pong"))
        agent.sendResult({ id }, { status: "success", result: {} })
        agent.ws.ping("after the result")
        yield* Effect.sleep("300 millis") // time for a pong that does not wait
        yield* Deferred.succeed(release, undefined)
        yield* Effect.promise(() => pong)
        assert.strictEqual((yield* inProject(commands.get(id))).status, "completed")
        yield* Fiber.join(holder)
        assert.deepStrictEqual(log, ["released", "pong"])

        const idle = pongOf(agent.ws, "nothing before it")
        agent.ws.ping("nothing before it")
        yield* Effect.promise(() => idle)
      }))

    it.scoped("end the connection of an agent that reads no pong", () =>
      Effect.gen(function*() {
        const agent = yield* connected(yield* fresh)
        agent.ws.pause()
        const data = "x".repeat(125)
        const more = () => {
          for (let sent = 0; sent < 20_000 && agent.ws.readyState === agent.ws.OPEN; sent++) agent.ws.ping(data)
          return agent.ws.readyState !== agent.ws.OPEN
        }
        yield* until(Effect.sync(more), (isOver) => isOver)
        assert.strictEqual((yield* Effect.promise(() => agent.closed)).code, 1006)
      }))
  })
})
