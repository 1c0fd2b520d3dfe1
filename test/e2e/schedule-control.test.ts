import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { startAgent } from "../../src/agent/runtime/startAgent.ts"
import { MemoryEngine } from "../agent/engines/memory.ts"
import { baseUrl, serverOn } from "../brain.ts"
import { engines } from "../databases.ts"
import { until } from "../until.ts"
import { prepareFixture } from "./bullmq/fixture.ts"

describe.each(engines)("an engine of one's own whose scheduler can only enable and disable, on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("obeys the REST API by compare-and-set, and its publications end the operations", () =>
      Effect.gen(function*() {
        const { call, home, hmacSecret, token } = yield* prepareFixture
        const shop = new MemoryEngine("memory", [], new Map())
        shop.schedule("hourly", { args: [1.5, 12345678901234567890n], kwargs: { token: "hunter2" } })
        const { scheduler, ...rest } = shop.engine
        if (scheduler === undefined) throw new Error("no scheduler")
        const { disable, enable, trigger_now } = scheduler.actions
        if (disable === undefined || enable === undefined || trigger_now === undefined) throw new Error("no actions")
        const own = { ...rest, scheduler: { ...scheduler, actions: { disable, enable, trigger_now } } }
        const brainUrl = yield* baseUrl
        yield* Effect.acquireRelease(
          Effect.promise(() => startAgent({ brainUrl, token, hmacSecret, home, engines: [own] })),
          (agent) => Effect.promise(() => agent.close())
        )
        const listed = Effect.map(call("GET", "/schedules"), ({ json }) => json.items)
        const [hourly] = yield* until(listed, (items) => items.length === 1)
        const operate = (verb: string) =>
          Effect.gen(function*() {
            const begun = yield* call("POST", `/schedules/${hourly.id}/${verb}`)
            assert.strictEqual(begun.status, 202, begun.text)
            return yield* Effect.map(
              until(
                call("GET", `/schedules/external-control-operations/${begun.json.id}`),
                ({ json }) => !["pending", "sent", "accepted"].includes(json.status)
              ),
              ({ json }) => json
            )
          })
        const disabled = yield* operate("disable")
        assert.deepInclude(disabled, {
          status: "succeeded",
          error: null,
          desired_is_enabled: false,
          reserved_sequence: 2
        })
        assert.deepInclude((yield* listed)[0], { is_enabled: false, next_run_at: null })
        assert.strictEqual(shop.schedules?.get("hourly")?.is_enabled, false)

        // it ran meanwhile, which is no other definition
        shop.schedule("hourly", { ...shop.schedules?.get("hourly"), total_runs: 7 })
        assert.deepInclude(yield* operate("enable"), { status: "succeeded", error: null, reserved_sequence: 3 })
        assert.deepInclude((yield* listed)[0], { is_enabled: true, total_runs: 7 })

        // its owner changes it: the brain's view is old
        shop.schedule("hourly", { ...shop.schedules?.get("hourly"), expression: "60.0" })
        const stale = yield* operate("disable")
        assert.strictEqual(stale.status, "failed")
        assert.include(stale.error, "is not as the command expects it")
        assert.strictEqual(shop.schedules?.get("hourly")?.is_enabled, true)

        const triggered = yield* operate("trigger")
        assert.deepInclude(triggered, { status: "succeeded", error: null })
        assert.deepStrictEqual([...shop.jobs.keys()], [triggered.id])
      }))
  })
})
