import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { event, type TestAgent } from "../agent.ts"
import { serverOn } from "../brain.ts"
import { until } from "../until.ts"
import { assertRefused, ok, respondToCommands, visitor } from "./remote.ts"

const started = (task_id: string, queue: string) =>
  event({ kind: "task.started", task_id, data: { task_name: "shop.pay", queue, worker: null } })

const start = (agent: TestAgent, queue: string, ...tasks: ReadonlyArray<string>) =>
  Effect.promise(() => agent.sendEvents(tasks.map((task) => started(task, queue))))

/** What is printed of a job. */
const field = (name: string, value: string | number) => new RegExp(`^${name} +${value}$`, "m")

layer(serverOn("SQLite"), { excludeTestServices: true })("svc bulk-jobs", (it) => {
  it.scoped("deletes all tasks that match, and no others", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const agent = yield* connect("shop")
      yield* start(agent, "old", "t1", "t2")
      yield* start(agent, "new", "t3")
      assertRefused(yield* run("bulk-jobs", "delete", "--yes"), "name at least one filter", 2)
      assertRefused(yield* run("bulk-jobs", "delete", "--query", "stat:failure", "--yes"), "--query", 2)
      assertRefused(yield* run("bulk-jobs", "delete", "--queue", "old"), "all tasks that match (now 2)", 2)
      const result = yield* run("bulk-jobs", "delete", "--queue", "old", "--yes", "--watch")
      assert.match(ok(result), field("deleted", 2))
      assert.include(result.stderr, "2 of 2 (100 %)")
      const { items } = JSON.parse(ok(yield* run("tasks", "list", "--json")))
      assert.deepStrictEqual(items.map(({ task_id }: { task_id: string }) => task_id), ["t3"])
    }))

  it.scoped("cancels all tasks that match, shows the outcomes, and stops a job that waits for an agent", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const agent = yield* connect("shop")
      yield* start(agent, "q", "t1", "t2")
      respondToCommands(agent, { status: "success", result: {} })
      const result = yield* run("bulk-jobs", "cancel", "--query", "queue:q", "--yes", "--watch")
      assert.match(ok(result), field("succeeded", 2))
      respondToCommands(agent, { status: "failed", error: "no such task" })
      const failed = yield* run("bulk-jobs", "cancel", "--queue", "q", "--yes", "--watch")
      assert.strictEqual(failed.code, 1)
      assert.include(failed.stderr, "2 not cancelled")

      yield* Effect.promise(() => agent.close())
      yield* until(Effect.map(run("agents", "list"), ok), (text) => text.includes("offline"))
      const { id } = JSON.parse(ok(yield* run("bulk-jobs", "cancel", "--queue", "q", "--yes", "--json")))
      const shown = Effect.map(run("bulk-jobs", "show", id), ok)
      yield* until(shown, (text) => text.includes("No connected agent can cancel tasks of celery"))
      assert.match(ok(yield* run("bulk-jobs", "stop", id)), field("status", "stopped"))
      assertRefused(yield* run("bulk-jobs", "stop", id), "The bulk job is stopped")
      const watched = yield* run("bulk-jobs", "show", id, "--watch")
      assert.strictEqual(watched.code, 1)
      assert.include(watched.stderr, "was stopped")
      assertRefused(yield* run("bulk-jobs", "show", "1"), "no such bulk job: 1")
      const list = ok(yield* run("bulk-jobs", "list"))
      assert.strictEqual(list.trim().split("\n").length, 4)
      assert.match(list, /^queue=q until=\S+ +cancel +stopped /m)
    }))
})
