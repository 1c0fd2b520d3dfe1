import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { event, type TestAgent } from "../agent.ts"
import { serverOn } from "../brain.ts"
import { until } from "../until.ts"
import { assertRefused, ok, respondToCommands, visitor } from "./remote.ts"

const failed = (task_id: string, exception: string) =>
  event({ kind: "task.failed", task_id, data: { task_name: "shop.pay", queue: "q", worker: null, exception } })

const fail = (agent: TestAgent, ...tasks: ReadonlyArray<string>) =>
  Effect.promise(() => agent.sendEvents(tasks.map((task) => failed(task, "TimeoutError: 5 s"))))

const created = { status: "success", result: {} } as const

/** What is printed of a request. */
const field = (name: string, value: string | number) => new RegExp(`^${name} +${value}$`, "m")

layer(serverOn("SQLite", { bulkRetryOpenCommands: 2 }), { excludeTestServices: true })("svc bulk-retry", (it) => {
  it.scoped("retries the tasks of one failure group, and refuses what no list of tasks takes", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const agent = yield* connect("shop")
      yield* fail(agent, "t1", "t2")
      yield* Effect.promise(() => agent.sendEvents([failed("other", "ValueError: no such order")]))
      const issues = yield* until(
        Effect.map(run("issues", "list", "--json"), (result) => JSON.parse(ok(result)).items),
        ({ length }) => length === 2
      )
      const { fingerprint } = issues.find(({ occurrences }: { occurrences: number }) => occurrences === 2)
      const preview = ok(yield* run("bulk-retry", "create", "--fingerprint", fingerprint, "--dry-run"))
      assert.match(preview, /^2 tasks\n/)
      assert.notInclude(preview, "ValueError")
      respondToCommands(agent, created)
      const result = yield* run("bulk-retry", "create", "--fingerprint", fingerprint, "--agent", "shop", "--watch")
      assert.match(ok(result), field("retried", 2))
      assert.match(result.stdout, field("of these", "2 waiting"))
      assert.include(result.stderr, "2 of 2 (100 %)")
      assert.deepStrictEqual(new Set(agent.commands.map(({ parameters }) => parameters.task_id)), new Set(["t1", "t2"]))
      // the same tasks fail again
      yield* fail(agent, "t1", "t2")
      const list = Effect.map(run("bulk-retry", "list", "--json"), (listed) => JSON.parse(ok(listed)).items[0])
      const { id } = yield* until(list, ({ outcomes }) => outcomes.failed === 2)
      const again = yield* run("bulk-retry", "show", id, "--watch")
      assert.match(ok(again), field("of these", "2 failed again"))
      assert.match(again.stdout, field("agent", "shop"))
      assert.include(again.stderr, `2 retried tasks failed again: svc bulk-retry items ${id} --outcome failed`)
      assert.match(ok(yield* run("bulk-retry", "items", id, "--outcome", "failed")), /shop\.pay +retried +failed again/)
      assert.match(
        ok(yield* run("bulk-retry", "create", "--fingerprint", fingerprint.slice(-8), "--dry-run")),
        /^2 tasks\n/
      )
      assert.match(ok(yield* run("bulk-retry", "list")), /^TASKS OF +STATUS .*\nshop\.pay +completed /)
      assertRefused(
        yield* run("bulk-retry", "create", "--fingerprint", "ffff", "--dry-run"),
        "no such failure group: ffff"
      )
      assertRefused(yield* run("bulk-retry", "create", "--max", "10001", "--dry-run"), "svc bulk-retry create --all", 2)
      assertRefused(yield* run("commands", "bulk-retry", "t1", "--max", "10001"), "svc bulk-retry create --all", 2)
      assertRefused(yield* run("bulk-retry", "create", "--max", "5", "--all", "--dry-run"), "--max or --all", 2)
      assert.match(ok(yield* run("bulk-retry", "create", "--all", "--dry-run")), /^3 tasks\n/)
    }))

  it.scoped("watches a pause until what was sent has its outcome, and a resumed one to its end", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const agent = yield* connect("shop")
      yield* fail(agent, "t1", "t2", "t3", "t4")
      agent.onCommand = null
      const { id } = JSON.parse(ok(yield* run("bulk-retry", "create", "--json")))
      yield* Effect.promise(() => agent.when(() => agent.commands.length === 2))
      const pausing = yield* Effect.fork(run("bulk-retry", "pause", id, "--watch"))
      const shown = Effect.map(run("bulk-retry", "show", id, "--json"), (result) => JSON.parse(ok(result)))
      yield* until(shown, ({ control_state }) => control_state === "paused")
      assert.isNull(pausing.unsafePoll(), "the outcomes of two commands are missing")
      for (const command of agent.commands) agent.sendResult(command, created)
      const paused = yield* Fiber.join(pausing)
      assert.match(ok(paused), field("retried", 2))
      assert.match(paused.stdout, field("waiting", 2))
      assert.include(paused.stderr, "svc: 2 of 4 (50 %) retried 2 paused\n")

      agent.onCommand = (command) => agent.sendResult(command, { status: "failed", error: "no such task" })
      const resumed = yield* run("bulk-retry", "resume", id, "--watch")
      assert.strictEqual(resumed.code, 1)
      assert.match(resumed.stdout, field("status", "completed"))
      assert.include(resumed.stderr, "4 of 4 (100 %) retried 2 not retried 2")
      assert.include(resumed.stderr, `2 tasks were not retried: svc bulk-retry items ${id} --status failed`)
    }))
})
