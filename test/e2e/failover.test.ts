import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { connected } from "../agent.ts"
import { svc } from "../cli/svc.ts"
import { until } from "../until.ts"
import { adminKey, siteOf } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { serverPair } from "./faults/ServerPair.ts"
import { expectStoredOnce, runOf, streaming } from "./streaming.ts"

describe("the failover of PostgreSQL with a synchronous standby", () => {
  it.scopedLive("loses nothing, does nothing twice, and needs no restart", () =>
    Effect.gen(function*() {
      const servers = yield* serverPair(true)
      const site = yield* siteOf(inject("program"), { SVC_DATABASE_URL: servers.url })
      const brains = [yield* site.brain, yield* site.brain] as const
      const key = yield* adminKey(brains[0])
      const [call, other] = [callAt(brains[0], key), callAt(brains[1], key)]

      // commands and fires of one project go to the second brain, events of another to both
      yield* call("POST", "/projects", { slug: "shop", name: "shop" })
      const { json: shop } = yield* call("POST", "/projects/shop/agents", { name: "shop" })
      const executor = yield* connected({
        base: brains[1].url,
        token: shop.token,
        hmac_secret: shop.hmac_secret,
        hello: { worker_role: "task" }
      })
      const executed: Array<string> = []
      executor.onCommand = (command) => {
        executed.push(String(command.parameters.fire_id ?? command.id))
        executor.sendResult(command, { status: "success", result: { task_id: "t" } })
      }
      const schedule = yield* call("POST", "/projects/shop/schedules", {
        name: "every second",
        engine: "celery",
        kind: "interval",
        expression: "1",
        task_name: "shop.tick",
        catch_up: "fire_all_missed"
      })
      const restart = { agent_id: shop.agent.id, worker_name: "w@box" }
      const command = Effect.map(call("POST", "/projects/shop/commands/restart-worker", restart), ({ json }) => json.id)
      const completed = (id: string) =>
        until(call("GET", `/projects/shop/commands/${id}`), ({ json }) => json.status === "completed")
      const { json: agent } = yield* call("POST", "/projects/default/agents", { name: "agent" })
      const run = runOf(200, 1)
      const { done, streamer } = yield* streaming(agent, brains.map(({ url }) => url), run.batches, 8)
      yield* Effect.promise(() => streamer.when(100))
      const before = yield* command
      yield* completed(before)

      yield* servers.killPrimary
      yield* servers.turnToStandby
      // not yet promoted, it serves reads and refuses writes
      const change = { description: "changed" }
      yield* until(call("GET", "/projects/default"), ({ status }) => status === 200)
      const refused = yield* call("PATCH", "/projects/default", change)
      assert.deepInclude(refused.json, { status: 503, code: "unavailable" })
      const acked = streamer.acked
      yield* servers.promote

      yield* until(call("PATCH", "/projects/default", change), ({ status }) => status === 200)
      yield* Effect.promise(() => done)
      assert.isAbove(streamer.acked, acked)
      yield* expectStoredOnce(other, "default", run)
      const after = yield* command
      yield* completed(after)
      yield* call("POST", `/projects/shop/schedules/${schedule.json.id}/disable`)
      const fires = yield* until(
        call("GET", `/projects/shop/schedules/${schedule.json.id}/fires?limit=500`),
        ({ json }) => json.every((fire: { readonly status: string }) => fire.status === "acked_success")
      )
      const ticks = fires.json.map((fire: { readonly scheduled_for: string }) => Date.parse(fire.scheduled_for) / 1000)
      const first = Math.min(...ticks)
      assert.deepStrictEqual(
        ticks.toSorted((a: number, b: number) => a - b),
        ticks.map((_: number, index: number) => first + index)
      )
      assert.lengthOf(executed, ticks.length + 2)
      assert.lengthOf(new Set(executed), executed.length)
      assert.includeMembers(executed, [before, after])
      for (const callOne of [call, other]) {
        yield* until(callOne("GET", "/health/deep"), ({ json }) => json?.status === "ok")
      }
      const verified = yield* svc(["audit", "verify"], site.env)
      assert.strictEqual(verified.code, 0, verified.stderr)
    }))
})
