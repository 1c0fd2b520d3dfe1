import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { has } from "../needs.ts"
import { recordedEvents, subscribe, watchOutbox } from "../services/triggers/TriggerEvents/world.ts"
import { until } from "../until.ts"
import { pythonHost } from "./pythonHost.ts"

const ready = await has("Redis", "Python")

/** The worker's program of each engine, and the module that enqueues a task where tasks alone name the worker. */
const programs: ReadonlyArray<
  readonly [engine: string, program: string, args: ReadonlyArray<string>, sender?: string]
> = [
  ["rq", "rq", ["worker", "-c", "rq_shop", "--name", "rq-1"], "rq_shop"],
  ["dramatiq", "dramatiq", ["dramatiq_shop", "--processes", "1", "--threads", "1"], "dramatiq_shop"],
  ["huey", "huey_consumer", ["huey_shop.huey"]],
  ["arq", "arq", ["arq_shop.WorkerSettings"]],
  ["taskiq", "taskiq", ["worker", "taskiq_shop:broker", "--workers", "1"]]
]
const engines = programs.map(([engine]) => engine)

describe.skipIf(!ready)("workers of RQ, Dramatiq, Huey, arq and taskiq with the published agents", () => {
  layer(serverOn("PostgreSQL", { agentOfflineAfter: 6, agentHeartbeat: 1 }), {
    excludeTestServices: true
  })((it) => {
    it.scoped(
      "are gone after an orderly end, and no alert is opened",
      () =>
        Effect.gen(function*() {
          yield* watchOutbox
          const project = yield* freshProject()
          yield* subscribe(project.id, "worker.offline")
          const { token } = yield* freshKey({ isAdmin: true })
          const call = (method: string, path: string, body?: unknown) =>
            Effect.map(
              request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body }),
              ({ json }) => json
            )
          const { agent, hmac_secret, token: agentToken } = yield* call("POST", "/agents", { name: "engines" })
          const host = yield* pythonHost({
            environment: "engines",
            folder: join(import.meta.dirname, "engines"),
            options: {
              brainUrl: yield* baseUrl,
              project: project.slug,
              agentId: agent.id,
              token: agentToken,
              hmacSecret: hmac_secret,
              redisDatabase: 7
            }
          })
          const broker = { Z4J_RQ_REDIS_URL: host.env.SHOP_BROKER }
          const running = yield* Effect.forEach(
            programs,
            ([, program, args]) => host.start(program, args, "task", broker),
            { concurrency: "unbounded" }
          )
          for (const [, , , sender] of programs) if (sender !== undefined) yield* host.python(["-m", sender])
          const states = Effect.map(
            call("GET", "/workers"),
            (rows: ReadonlyArray<{ engine: string; name: string; state: string }>) =>
              rows.map(({ engine, state }) => `${engine} ${state}`).sort()
          )
          const all = (state: string) => engines.map((engine) => `${engine} ${state}`).sort()
          yield* Effect.tapError(
            until(states, (rows) => engines.every((engine) => rows.includes(`${engine} online`))),
            () => Effect.log(running.map(({ log }) => log()).join("\n---\n"))
          )
          assert.deepStrictEqual(yield* states, all("online"))
          for (const { stop } of running) yield* stop
          yield* Effect.tapError(
            until(states, (rows) => rows.every((row) => !row.endsWith("online"))),
            () => Effect.log(running.map(({ log }) => log()).join("\n---\n"))
          )
          assert.deepStrictEqual(yield* states, all("gone"))
          assert.deepStrictEqual(yield* recordedEvents(project.id), [])
        })
    )
  })
})
