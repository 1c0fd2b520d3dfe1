import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { event } from "../agent.ts"
import { request, serverOn } from "../brain.ts"
import { until } from "../until.ts"
import { assertRefused, ok, visitor } from "./remote.ts"
import { svcHere } from "./svcHere.ts"

layer(serverOn("SQLite"), { excludeTestServices: true })("svc rules", (it) => {
  it.scoped("lists, shows, enables, disables, tries and resets a rule", () =>
    Effect.gen(function*() {
      const { connect, project, run, settings, token } = yield* visitor()
      const body = {
        name: "lost connections",
        trigger: "task.failed",
        conditions: { exception: "ConnectionError" },
        actions: [{ type: "notify" }],
        max_executions_per_window: 1
      }
      const path = `/projects/${project.slug}/automation/rules`
      const created = yield* request("POST", path, { token, body })
      assert.strictEqual(created.status, 201, created.text)
      assert.match(
        ok(yield* run("rules", "list")),
        /lost connections +dry run +task\.failed +exception=ConnectionError +notify/
      )
      assert.strictEqual(ok(yield* run("rules", "disable", "lost connections")), "disabled lost connections\n")
      assert.match(ok(yield* run("rules", "show", created.json.id)), /state +disabled[^]*it has done nothing yet/)
      assert.strictEqual(
        ok(yield* run("rules", "enable", "lost connections")),
        "enabled lost connections, as a dry run\n"
      )
      assert.strictEqual(
        ok(yield* run("rules", "enable", "lost connections", "--dry-run", "off")),
        "enabled lost connections: notify\n"
      )
      const agent = yield* connect("agent")
      const fail = Effect.suspend(() => {
        const task_id = randomUUID()
        const data = { task_name: "shop.pay", exception: "ConnectionError: refused", worker: "w1" }
        return Effect.promise(() => agent.sendEvents([event({ task_id, kind: "task.failed", data })]))
      })
      yield* fail
      yield* fail
      const sql = yield* SqlClient.SqlClient
      yield* until(
        sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM automation_executions
          WHERE project_id = ${project.id}`,
        ([row]) => row?.n === 2
      )
      const shown = ok(yield* run("rules", "show", "lost connections"))
      assert.match(shown, /state +tripped[^]*breaker +tripped, 1 of 1 executions in 3600 s/)
      assert.match(shown, /^shop\.pay +degraded +notify +1 /m)
      const asJson = JSON.parse(ok(yield* run("rules", "show", "lost connections", "--json")))
      assert.deepStrictEqual([asJson.cb_tripped, asJson.executions.length], [true, 2])

      const report = ok(yield* run("rules", "backtest", "lost connections", "--days", "3"))
      assert.match(report, /task\.failed matched 2 times, the rule would have acted once/)
      assert.match(report, /held back 1: its breaker was tripped/)
      assert.match(report, /its breaker would have tripped once: 20/)
      assert.match(report, /tasks: shop\.pay \(2\)\nfailure groups: [0-9a-f]{16} \(2\)\nworkers: w1 \(2\)/)
      const input = JSON.stringify({ ...body, max_executions_per_window: 5 })
      const tried = yield* svcHere(["rules", "backtest", "--json"], settings, { input })
      assert.deepInclude(JSON.parse(ok(tried)), { matched: 2, would_execute: 2, days: 7 })

      assert.strictEqual(
        ok(yield* run("rules", "reset", "lost connections")),
        "armed the breaker of lost connections\n"
      )
      assert.match(ok(yield* run("rules", "show", "lost connections")), /breaker +armed, 0 of 1/)
      assertRefused(yield* run("rules", "show", "found connections"), "no such rule: found connections")
      assertRefused(yield* run("rules", "backtest", "lost connections", "--days", "0"), "--days", 2)
      assertRefused(
        yield* svcHere(["rules", "backtest"], settings, { input: "no rule" }),
        "name a rule, or give one",
        2
      )
      assertRefused(yield* svcHere(["rules", "backtest"], settings, { input: "{}" }), "name", 2)
      const elsewhere = JSON.stringify({ ...body, trigger: "worker.offline", conditions: {} })
      assertRefused(yield* svcHere(["rules", "backtest"], settings, { input: elsewhere }), "rule.trigger")
      yield* request("POST", path, { token, body })
      assertRefused(yield* run("rules", "disable", "lost connections"), "lost connections is more than one rule: ", 2)
    }))
})
