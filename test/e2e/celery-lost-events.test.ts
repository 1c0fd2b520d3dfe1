import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { redisServer } from "../agent/engines/bullmq/redisServer.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { celeryWorker } from "./celery.ts"

const ready = await has("Redis", "Python")

/** A project with a real worker and its agent. `redisPort` is of a Redis of the test's own. */
const site = (redisDatabase: number, events: boolean, redisPort?: number) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const { token } = yield* freshKey({ isAdmin: true })
    const call = (method: string, path: string, body?: unknown) =>
      Effect.map(
        request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body }),
        ({ json }) => json
      )
    const { agent, hmac_secret, token: agentToken } = yield* call("POST", "/agents", { name: "celery" })
    const celery = yield* celeryWorker({
      brainUrl: yield* baseUrl,
      project: project.slug,
      agentId: agent.id,
      token: agentToken,
      hmacSecret: hmac_secret,
      redisDatabase,
      ...(redisPort === undefined ? {} : { redisPort }),
      node: "w1@shop",
      events
    })
    yield* Effect.tapError(
      until(call("GET", "/workers"), (workers) => workers.length > 0),
      () => Effect.log(celery.log())
    )
    const task = (id: string) => call("GET", `/tasks/celery/${id}`)
    return { ...celery, call, task }
  })

describe.skipIf(!ready)("the published Celery agent, whose brain asks for what it missed,", () => {
  layer(serverOn("PostgreSQL", { reconcileAfter: 2 }), { excludeTestServices: true })((it) => {
    it.scoped("without -E: every task ends as the engine says", () =>
      Effect.gen(function*() {
        const { call, python, send, task } = yield* site(10, false)
        yield* python("-c", "import shop; shop.app.control.disable_events()") // the agent enables them, if it is in time
        const added: Array<string> = []
        for (let n = 0; n < 3; n++) added.push(...(yield* send("group")))
        const [failed = ""] = yield* send("fail")
        for (const id of added) {
          const { finished_at } = yield* until(task(id), ({ state }) => state === "success")
          assert.isString(finished_at)
        }
        assert.match((yield* until(task(failed), ({ state }) => state === "failure")).exception, /no stock/)
        const unfinished = yield* call("GET", "/tasks?state=received")
        assert.deepStrictEqual(unfinished.items, [])
      }))

    it.scoped("with events that were lost: neither received nor to be retried for ever", () =>
      Effect.gen(function*() {
        const { python, send, task } = yield* site(11, true)
        const control = (what: string) => python("-c", `import shop; shop.app.control.${what}()`)
        yield* send("add")
        const [flaky = ""] = yield* send("flakier")
        yield* until(task(flaky), ({ retry_count }) => retry_count > 0)
        yield* control("disable_events")
        const [added = ""] = yield* send("add")
        assert.strictEqual((yield* until(task(added), ({ state }) => state === "success")).name, "shop.add")
        const ended = yield* until(task(flaky), ({ state }) => state === "success")
        assert.deepInclude(ended, { name: "shop.flakier", retry_count: 1 })
      }))

    it.scoped(
      "over a restart of the broker: each task is as the engine knows it, or its outcome is unknown",
      () =>
        Effect.gen(function*() {
          const redis = yield* redisServer({ keeps: true })
          const { call, log, python, send } = yield* site(0, true, redis.connection.port)
          const sent = yield* send("naps")
          const states = Effect.map(
            call("GET", "/tasks?limit=100"),
            ({ items }: { readonly items: ReadonlyArray<{ readonly task_id: string; readonly state: string }> }) =>
              Object.fromEntries(items.map(({ state, task_id }) => [task_id, state]))
          )
          yield* until(states, (all) => Object.values(all).filter((state) => state === "success").length >= 4)
          yield* redis.kill
          yield* Effect.sleep("2 seconds")
          yield* redis.start
          const code = "import redis, shop, sys; client = redis.Redis.from_url(shop.broker); " +
            "held = b''.join([*client.hvals('unacked'), *client.lrange('celery', 0, -1)]).decode(); " +
            "print(*('HELD' if id in held else shop.app.AsyncResult(id).state for id in sys.argv[1:]))"
          const known = Effect.map(python("-c", code, ...sent), (printed) => printed.split(" "))
          /** Where Celery cannot store a result it reports a failure, or nothing. */
          const agrees = (known: string, state: string | undefined) =>
            known === "SUCCESS" ? state === "success" : known === "HELD" || state === "failure" || state === "unknown"
          yield* Effect.tapError(
            until(
              Effect.all([states, known]),
              ([all, engine]) => sent.every((id, index) => agrees(engine[index] ?? "", all[id])),
              "150 seconds"
            ),
            () => Effect.log(log())
          )
        })
    )
  })
})
