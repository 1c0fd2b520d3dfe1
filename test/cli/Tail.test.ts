import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonInput } from "../../src/domain/kernel/CanonicalJson.ts"
import { event } from "../agent.ts"
import { serverOn } from "../brain.ts"
import { freePort } from "../ports.ts"
import { until } from "../until.ts"
import { gate } from "./gate.ts"
import { visitor } from "./remote.ts"
import { running, svc } from "./svc.ts"

layer(serverOn("SQLite"), { excludeTestServices: true })("svc tasks logs", (it) => {
  it.scoped("prints the lines of a task, and follows it until it is interrupted", () =>
    Effect.gen(function*() {
      const { connect, settings } = yield* visitor()
      const agent = yield* connect("shop")
      const send = (kind: string, data: Readonly<Record<string, JsonInput>>) =>
        Effect.promise(() => agent.sendEvents([event({ kind, task_id: "t1", data })]))
      yield* send("task.started", { task_name: "pay" })
      yield* send("task.log", {
        lines: [{ message: "first" }, { level: "error", message: "no\u001b[31m", fields: { n: 1 } }]
      })
      const errors = yield* svc(["tasks", "logs", "t1", "--level", "error"], settings)
      assert.match(errors.stdout, /^20\S+ {2}error {4}no\\x1b\[31m \{"n":1\}\n$/)
      const follow = yield* running(["tasks", "logs", "t1", "--follow", "--json"], settings)
      yield* until(Effect.sync(follow.stdout), (text) => text.split("\n").length === 3)
      yield* send("task.log", { lines: [{ message: "later" }] })
      const text = yield* until(Effect.sync(follow.stdout), (text) => text.split("\n").length === 4)
      const lines = text.trim().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(lines.map(({ message, seq }) => [seq, message]), [[1, "first"], [2, "no\u001b[31m"], [
        3,
        "later"
      ]])
    }))
})

layer(serverOn("SQLite"), { excludeTestServices: true })("svc tasks tail", (it) => {
  it.scoped("continues where a closed connection ended, one JSON object a line, and ends with 0", () =>
    Effect.gen(function*() {
      const { base, connect, settings } = yield* visitor()
      const way = yield* gate(base)
      const agent = yield* connect("shop")
      const tail = yield* running(["tasks", "tail", "--json"], { ...settings, SVC_URL: way.url })
      const people = yield* running(["tasks", "tail"], settings)
      const seen = () =>
        tail.stdout().split("\n").filter((line) => line !== "").map((line): string => JSON.parse(line).task_id)
      const send = (task_id: string) =>
        Effect.promise(() => agent.sendEvents([event({ task_id, data: { task_name: "pay\u009b2J\u001b[31m" } })]))
      // what comes before it listens is not shown, so ask until it does
      let n = 0
      yield* until(
        Effect.suspend(() => Effect.as(send(`first-${++n}`), [seen(), people.stdout()])),
        ([lines, text]) => lines?.length !== 0 && text !== ""
      )
      way.shut()
      yield* until(Effect.sync(tail.stderr), (text) => text.includes("reconnecting"))
      yield* send("missed")
      assert.notInclude(seen(), "missed")
      way.reopen()
      yield* until(Effect.sync(seen), (ids) => ids.includes("missed"))
      yield* send("after")
      const ids = yield* until(Effect.sync(seen), (ids) => ids.includes("after"))
      assert.strictEqual(new Set(ids).size, ids.length, "nothing twice")
      yield* until(Effect.sync(people.stdout), (text) => text.includes("after"))
      assert.match(people.stdout(), /^20\S+ {2}received {2}celery {2}pay\\x9b2J\\x1b\[31m {2}first-\d+\n/)
      assert.notMatch(people.stdout() + tail.stdout(), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
      assert.strictEqual(yield* tail.stop("SIGINT"), 0)
      assert.strictEqual(yield* people.stop("SIGTERM"), 0)
    }))

  it.scoped("fails at once where it has no permission, or nothing responds", () =>
    Effect.gen(function*() {
      const { run } = yield* visitor({ scopes: ["agents:read"] })
      const forbidden = yield* run("tasks", "tail")
      assert.deepInclude(forbidden, { code: 1, stdout: "" })
      assert.include(forbidden.stderr, "lacks the scope tasks:read")
      const { settings } = yield* visitor()
      const alone = yield* svc(["tasks", "tail"], { ...settings, SVC_URL: `http://127.0.0.1:${yield* freePort}` })
      assert.strictEqual(alone.code, 1)
      assert.match(alone.stderr, /^svc: the brain at \S+ cannot be reached: nothing listens there\n$/)
    }))
})
