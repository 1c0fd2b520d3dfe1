import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { event } from "../agent.ts"
import { serverOn } from "../brain.ts"
import { until } from "../until.ts"
import { assertRefused, ok, visitor } from "./remote.ts"

const failed = (task_id: string, task_name: string) =>
  event({
    kind: "task.failed",
    task_id,
    data: { task_name, queue: "q", worker: null, exception: "TimeoutError: 5 s" }
  })

layer(serverOn("SQLite"), { excludeTestServices: true })("svc failures", (it) => {
  it.scoped("assigns, mutes, resolves and opens groups, and changes their notes; the list finds them", () =>
    Effect.gen(function*() {
      const { connect, project, run } = yield* visitor()
      const agent = yield* connect("shop")
      yield* Effect.promise(() => agent.sendEvents([failed("1", "shop.pay"), failed("2", "shop.ship")]))
      const namesIn = (...options: ReadonlyArray<string>) =>
        Effect.map(
          run("failures", "list", ...options, "--json"),
          (result) =>
            JSON.parse(ok(result)).items.map(({ sample_task_name }: { sample_task_name: string }) => sample_task_name)
        )
      yield* until(namesIn(), ({ length }) => length === 2)
      assert.match(ok(yield* run("failures", "assign", "shop.pay", "me")), /^assigned to .+: shop\.pay\n$/)
      assert.deepStrictEqual(yield* namesIn("--assignee", "me"), ["shop.pay"])
      assertRefused(yield* run("failures", "assign", "shop.pay", "nobody-of-that-name"), "no such member")
      assert.match(ok(yield* run("failures", "mute", "shop.pay", "--hours", "2")), /^muted until \S+Z: shop\.pay\n$/)
      assert.deepStrictEqual(yield* namesIn(), ["shop.ship"])
      assert.strictEqual(
        ok(yield* run("failures", "mute", "shop.pay", "--until", "escalates")),
        "muted until it escalates: shop.pay\n"
      )
      assert.match(ok(yield* run("failures", "list", "--status", "muted")), /^shop\.pay .* muted /m)
      assert.strictEqual(ok(yield* run("failures", "note", "shop.pay", "waits\u001b[2J")), "note changed: shop.pay\n")
      const shown = ok(yield* run("failures", "show", "shop.pay"))
      assert.match(shown, /^triage +muted until it escalates since \S+Z by /m)
      assert.match(shown, /^note +waits/m)
      assert.notInclude(shown, "\u001b[2J")
      assert.strictEqual(ok(yield* run("failures", "reopen", "shop.pay")), "open: shop.pay\n")
      assert.strictEqual(ok(yield* run("failures", "resolve", "shop.pay")), "resolved: shop.pay\n")
      assert.deepStrictEqual(yield* namesIn("--status", "all", "--search", "PAY", "--sort", "count"), ["shop.pay"])
      assert.strictEqual(ok(yield* run("failures", "note", "shop.pay", "")), "note removed: shop.pay\n")
      assert.strictEqual(ok(yield* run("failures", "assign", "shop.pay", "none")), "unassigned: shop.pay\n")

      const sql = yield* SqlClient.SqlClient
      const at = yield* Timestamp.now
      const people = Array.from({ length: 500 }, () => randomUUID())
      yield* sql`INSERT INTO users ${
        sql.insert(people.map((id, index) => ({
          id,
          email: `${id}@example.com`,
          email_key: `${id}@example.com`,
          display_name: `Person ${index}`,
          password_hash: "!",
          is_admin: 0,
          is_active: 1,
          timezone: "UTC",
          created_at: at,
          updated_at: at
        })))
      }`
      yield* sql`INSERT INTO memberships ${
        sql.insert(people.map((user_id) => ({
          id: randomUUID(),
          user_id,
          project_id: project.id,
          role: "viewer",
          created_at: at
        })))
      }`
      const assigned = yield* run("failures", "assign", "shop.pay", "Person 7")
      assert.strictEqual(ok(assigned), "assigned to Person 7: shop.pay\n")
      assert.match(assigned.stderr, /^svc: only the first 500 members were searched for the name/)
    }))
})
