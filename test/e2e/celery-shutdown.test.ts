import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { has } from "../needs.ts"
import { recordedEvents, subscribe, watchOutbox } from "../services/triggers/TriggerEvents/world.ts"
import { until } from "../until.ts"
import { celeryHost } from "./celery.ts"

const ready = await has("Redis", "Python")

describe.skipIf(!ready)("of three Celery workers with the published agent", () => {
  layer(serverOn("PostgreSQL", { agentOfflineAfter: 6, agentHeartbeat: 1 }), {
    excludeTestServices: true
  })((it) => {
    it.scoped("two are shut down warm: they are gone, and no alert is opened", () =>
      Effect.gen(function*() {
        yield* watchOutbox
        const project = yield* freshProject()
        yield* subscribe(project.id, "worker.offline", { engine: "celery" })
        const { token } = yield* freshKey({ isAdmin: true })
        const call = (method: string, path: string, body?: unknown) =>
          Effect.map(
            request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body }),
            ({ json }) => json
          )
        const { agent, hmac_secret, token: agentToken } = yield* call("POST", "/agents", { name: "celery" })
        const { start } = yield* celeryHost({
          brainUrl: yield* baseUrl,
          project: project.slug,
          agentId: agent.id,
          token: agentToken,
          hmacSecret: hmac_secret,
          redisDatabase: 8,
          node: "w1@shop"
        })
        const worker = (node: string) =>
          start("celery", ["-A", "shop", "worker", "-E", "-P", "threads", "-c", "1", "--hostname", node], "task", {
            Z4J_CELERY_LOCAL_HOSTNAME: node
          })
        const nodes = ["w1@shop", "w2@shop", "w3@shop"]
        const [first, second] = yield* Effect.forEach(nodes, worker, { concurrency: 3 })
        const states = Effect.map(
          call("GET", "/workers"),
          (rows: ReadonlyArray<{ name: string; state: string }>): Readonly<Record<string, string>> =>
            Object.fromEntries(rows.map(({ name, state }) => [name, state]))
        )
        yield* Effect.tapError(
          until(states, (all) => nodes.every((node) => all[node] === "online")),
          () => Effect.log(first?.log())
        )
        const { id } = yield* call("POST", "/commands/pool-resize", {
          agent_id: agent.id,
          worker_name: "w3@shop",
          delta: 1
        })
        const resized = yield* until(
          call("GET", `/commands/${id}`),
          ({ note, status }) => status === "completed" && !String(note).includes("will show")
        )
        assert.match(
          resized.note,
          /asked to have 2 processes; its last report has 1\. A threads pool cannot be resized/
        )
        for (const each of [first, second]) yield* each?.stop ?? Effect.void
        yield* until(states, (all) => all["w1@shop"] === "gone" && all["w2@shop"] === "gone")
        // the time in which silence would have been reported
        const before = Date.now()
        yield* until(Effect.sync(() => Date.now()), (now) => now - before > 12_000)
        assert.deepStrictEqual(yield* states, { "w1@shop": "gone", "w2@shop": "gone", "w3@shop": "online" })
        assert.deepStrictEqual(yield* recordedEvents(project.id), [])
      }))
  })
})
