import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connected } from "../agent.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { adminKey } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { proxiesOfReplicas } from "./proxies/proxies.ts"
import { site } from "./site.ts"
import { expectStoredOnce, type Run, runOf, Streamer } from "./streaming.ts"

const ready = await has("caddy", "nginx", "OpenSSL")

/** Reads at the same time, and agents whose connections stay open. */
const [readers, agents] = [6, 6]

/** The close code with which a brain that stops asks its agents to reconnect. */
const serviceRestart = 1012

describe.skipIf(!ready).each(Object.entries(proxiesOfReplicas))("two replicas behind %s", (_, startProxy) => {
  it.scopedLive(
    "restart one after the other: no read fails, agents reconnect at the first attempt, and no event is lost",
    () =>
      Effect.gen(function*() {
        const shared = yield* site("PostgreSQL", { SVC_TRUSTED_PROXIES: "127.0.0.1/32" })
        const brains = [yield* shared.brain, yield* shared.brain]
        const proxy = yield* startProxy(brains.map(({ url }) => url))
        const call = callAt(proxy, yield* adminKey(proxy))
        const { json } = yield* call("POST", "/projects/default/agents", { name: "agent" })
        const credentials = { base: proxy.url, token: String(json.token), hmac_secret: String(json.hmac_secret) }

        const failures: Array<unknown> = []
        let reads = 0
        const read = Effect.gen(function*() {
          const { status, text } = yield* call("GET", "/projects/default")
          if (status !== 200) failures.push(`${status} ${text}`)
          reads++
          yield* Effect.sleep("5 millis")
        })
        const closings: Array<number> = []
        const stayConnected = Effect.gen(function*() {
          const { closed } = yield* connected(credentials)
          closings.push((yield* Effect.promise(() => closed)).code)
        }).pipe(Effect.scoped)
        const noteFailure = Effect.catchAllDefect((defect) => Effect.sync(() => failures.push(defect)))
        for (let reader = 0; reader < readers; reader++) {
          yield* Effect.forkScoped(Effect.forever(noteFailure(read)))
        }
        for (let agent = 0; agent < agents; agent++) {
          yield* Effect.forkScoped(Effect.forever(noteFailure(stayConnected)))
        }
        const runs: Array<Run> = []
        let isOver = false
        const ingest = yield* Effect.fork(
          Effect.promise(() => {
            const run = runOf(40, 10)
            runs.push(run)
            return new Streamer(credentials, [proxy.url], run.batches, 8).run()
          }).pipe(Effect.repeat({ until: () => isOver }))
        )
        const more = Effect.suspend(() => {
          const [readCount, { length }] = [reads, runs]
          return until(Effect.sync(() => reads >= readCount + 200 && runs.length >= length + 3), (enough) => enough)
        })

        yield* more
        for (const brain of brains) {
          assert.strictEqual(yield* brain.stop, 0)
          yield* more
          yield* brain.start
          yield* more
        }
        isOver = true
        yield* Fiber.join(ingest)
        assert.deepStrictEqual(failures, [])
        assert.isAtLeast(closings.length, agents)
        assert.deepStrictEqual(new Set(closings), new Set([serviceRestart]))
        yield* expectStoredOnce(call, "default", ...runs)
      })
  )
})
