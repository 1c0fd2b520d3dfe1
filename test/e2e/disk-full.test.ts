import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"
import * as Agent from "../../src/agent/runtime/Agent.ts"
import { connectAgent, event, longPoll } from "../agent.ts"
import { MemoryEngine } from "../agent/engines/memory.ts"
import { temporaryHome } from "../databases.ts"
import { until } from "../until.ts"
import { adminKey, type BrainProcess } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { site } from "./site.ts"
import { expectStoredOnce, runOf, streaming } from "./streaming.ts"

/** Of util-linux: changes the limits of a running process. */
const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0
if (!hasPrlimit) {
  if (process.env.CI === "true") throw new Error("needs prlimit, which is not here")
  console.warn("skipped: needs prlimit, which is not here")
}

/** No file of the brain can be written to any more, as on a full disk. */
const fill = (brain: BrainProcess) =>
  Effect.sync(() => execFileSync("prlimit", ["--pid", String(brain.pid()), "--fsize=0:"]))
const free = (brain: BrainProcess) =>
  Effect.sync(() => execFileSync("prlimit", ["--pid", String(brain.pid()), "--fsize=unlimited:"]))

describe.skipIf(!hasPrlimit)("a brain on SQLite whose disk becomes full", () => {
  it.scopedLive("still reads, accepts nothing that it cannot store, and recovers", () =>
    Effect.gen(function*() {
      const home = yield* site("SQLite")
      const brain = yield* home.brain
      const call = callAt(brain, yield* adminKey(brain))
      const neverUsed = callAt(brain, yield* adminKey(brain))
      const { json: created } = yield* call("POST", "/projects/default/agents", { name: "agent" })
      const agent = {
        token: String(created.token),
        hmac_secret: String(created.hmac_secret),
        agent_id: String(created.agent.id)
      }
      const { json: project } = yield* call("GET", "/projects/default")

      // beside it an agent of ours, whose events wait in its own buffer meanwhile
      yield* call("POST", "/projects", { slug: "shop", name: "shop" })
      const { json: ours } = yield* call("POST", "/projects/shop/agents", { name: "ours" })
      const shop = new MemoryEngine()
      const secrets = { token: String(ours.token), hmacSecret: String(ours.hmac_secret) }
      const running = yield* Agent.make({
        brainUrl: brain.url,
        ...secrets,
        home: yield* temporaryHome,
        engines: [shop.engine]
      })
      const sell = (count: number) => Effect.sync(() => Array.from({ length: count }, () => shop.work(shop.enqueue())))
      yield* until(Effect.sync(running.status), ({ state }) => state === "online")
      yield* sell(10)
      yield* until(Effect.sync(running.status), ({ buffer }) => buffer.events === 0)

      const run = runOf(200, 1)
      const { done, streamer } = yield* streaming(agent, [brain.url], run.batches, 40)
      yield* Effect.promise(() => streamer.when(100))
      yield* fill(brain)
      yield* sell(500)

      const restart = { agent_id: agent.agent_id, worker_name: "w@box" }
      const poll = longPoll({ base: brain.url, ...agent, project_id: project.id })
      const refused = yield* Effect.all([
        call("POST", "/projects", { slug: "never", name: "never" }),
        call("PATCH", "/projects/default", { description: "never" }),
        call("POST", "/projects/default/commands/restart-worker", restart),
        call("POST", "/projects/default/tasks/bulk-delete", { filter_state: "success" }),
        call("POST", "/auth/login", { email: "admin@example.com", password: "correct horse battery" }),
        Effect.promise(() => poll.push([poll.seal("event_batch", { events: [event()] })]))
      ])
      for (const [index, { json, status }] of refused.entries()) {
        assert.strictEqual(status, 503, `${index}: ${JSON.stringify(json)}`)
        assert.deepInclude(json, { code: "unavailable", status: 503 })
      }
      const acked = streamer.acked
      for (
        const path of [
          "/projects",
          "/projects/default/tasks",
          "/projects/default/tasks?search=shop",
          "/projects/default/workers",
          "/auth/me"
        ]
      ) {
        assert.strictEqual((yield* neverUsed("GET", path)).status, 200, path)
      }
      const deep = yield* until(
        call("GET", "/health/deep"),
        ({ json }) => json.checks["loop.ingest"].status === "failed"
      )
      assert.strictEqual(deep.json.checks.database.status, "ok")
      assert.strictEqual(streamer.acked, acked)
      assert.deepInclude(running.status(), { lostEvents: 0 })
      assert.strictEqual(running.status().buffer.events, 1500, "received, started and succeeded of each")

      yield* free(brain)
      yield* Effect.promise(() => done)
      assert.strictEqual(streamer.connections, 1)
      yield* expectStoredOnce(call, "default", run)
      yield* until(Effect.sync(running.status), ({ buffer, state }) => state === "online" && buffer.events === 0)
      const sold = yield* call("GET", "/projects/shop/tasks?state=success&include_total=true&limit=1")
      assert.strictEqual(sold.json.total_count, 510)
      assert.deepInclude((yield* call("GET", "/projects/default")).json, { description: null })
      assert.strictEqual((yield* call("POST", "/projects", { slug: "after", name: "after" })).status, 201)
      yield* until(call("GET", "/health/deep"), ({ json }) => json.status === "ok")
      const late = yield* Effect.promise(() => connectAgent({ base: brain.url, ...agent }))
      yield* Effect.promise(() => late.terminate())

      assert.strictEqual(yield* brain.stop, 0)
      const db = new BetterSqlite3(join(home.env.SVC_HOME ?? "", "svc.db"), { readonly: true })
      assert.deepStrictEqual(db.pragma("integrity_check"), [{ integrity_check: "ok" }])
      db.close()
    }))
})
