import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { AgentId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { serverOn } from "../brain.ts"
import { mergeAll, taskEvents } from "../rollups.ts"
import { offerEvents } from "../services/tasks/Ingest/world.ts"
import { assertRefused, ok, visitor } from "./remote.ts"

layer(serverOn("SQLite"), { excludeTestServices: true })("svc stats", (it) => {
  it.scoped("prints the project in numbers and its task names", () =>
    Effect.gen(function*() {
      const { project, run } = yield* visitor({ role: "viewer", scopes: ["tasks:read"] })
      assert.include(ok(yield* run("stats")), "No task ended in 24h.")
      const received = Timestamp.addSeconds(yield* Timestamp.now, -600)
      yield* offerEvents({ projectId: project.id, agentId: AgentId.make(randomUUID()) }, [
        ...taskEvents({ name: "shop.pay", received, runtimeMillis: 100 }),
        ...taskEvents({ name: "shop.pay", received, runtimeMillis: 100, outcome: "failed" }),
        ...taskEvents({ name: "report.build", received, runtimeMillis: 9000 })
      ])
      yield* mergeAll
      const text = ok(yield* run("stats"))
      assert.match(text, /succeeded in 24h +2\n/)
      assert.match(text, /failed in 24h +1 \(33.3 %\)\n/)
      assert.match(
        text,
        /NAME +ENGINE +SUCCESS +FAILURE +FAILED +RETRY +P50 +P95 +P99 +WAIT P95\nshop.pay +celery +1 +1 +50 % /
      )
      const { items } = JSON.parse(ok(yield* run("stats", "--sort", "p95", "--window", "1h", "--json")))
      assert.deepStrictEqual(items.map(({ name }: { name: string }) => name), ["report.build", "shop.pay"])
      assert.notInclude(ok(yield* run("stats", "--search", "PAY")), "report.build")
      assertRefused(yield* run("stats", "--limit", "0"), "limit", 2)
    }))
})
