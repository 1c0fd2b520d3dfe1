import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connectAgent, event, type Options, type TestAgent } from "../agent.ts"
import { until } from "../until.ts"
import { signedIn } from "./brainProcess.ts"
import { site } from "./site.ts"

const tasks = 600
/** Slow enough that the kill is in the middle of the tasks on a fast machine too. */
const rate_per_second = 200

/** A process of an agent that retries each command once, whatever the number of times that it is sent. */
const makeProcess = (worker_id: string, executed: Map<string, ReadonlyArray<string>>) => {
  const executedIds = new Set<string>()
  const begin = (agent: TestAgent) => {
    agent.onCommand = (command) => {
      const task = String(command.parameters.task_id)
      if (!executedIds.has(command.id)) executed.set(task, [...(executed.get(task) ?? []), command.id])
      executedIds.add(command.id)
      agent.sendResult(command, { status: "success", result: { new_task_id: `new ${task}` } })
    }
    return agent
  }
  return (options: Options) =>
    Effect.acquireRelease(
      Effect.promise(() => connectAgent({ ...options, hello: { worker_id } }).then(begin)),
      (agent) => Effect.sync(() => agent.ws.terminate())
    )
}

describe("a bulk retry on two brains over one PostgreSQL", () => {
  it.scopedLive(
    "is finished by the other brain when the one that leads it is killed, and commands every task once",
    () =>
      Effect.gen(function*() {
        const shared = yield* site("PostgreSQL")
        const one = yield* shared.brain
        const two = yield* shared.brain
        const callAt = yield* signedIn(one)
        const [atOne, atTwo] = [callAt(one), callAt(two)]
        const created = yield* atOne("POST", "/projects/default/agents", { name: "echo" })
        const { hmac_secret, token } = created.json
        const executed = new Map<string, ReadonlyArray<string>>()
        const [first, second] = [makeProcess("w-1", executed), makeProcess("w-2", executed)]
        const firstProcess = yield* first({ base: one.url, token, hmac_secret })
        yield* second({ base: two.url, token, hmac_secret })
        const failure = { exception: "TimeoutError: 5 s", task_name: "shop.pay", queue: "celery", worker: null }
        for (let offset = 0; offset < tasks; offset += 300) {
          const events = Array.from({ length: 300 }, (_, index) =>
            event({ kind: "task.failed", task_id: `t${offset + index}`, data: failure }))
          yield* Effect.promise(() =>
            firstProcess.sendEvents(events)
          )
        }
        const posted = yield* atOne("POST", "/projects/default/bulk-retry-requests", {
          idempotency_key: "k",
          max: tasks,
          rate_per_second
        })
        assert.strictEqual(posted.status, 202, JSON.stringify(posted.json))
        assert.strictEqual(posted.json.counts.total, tasks)

        yield* until(Effect.sync(() => executed.size), (size) => size > tasks / 10)
        yield* one.kill
        assert.isBelow(executed.size, tasks, "it had ended before the kill")
        // the process comes back to the other brain, which sends it again the commands without a result
        yield* first({ base: two.url, token, hmac_secret })
        const ended = yield* until(
          atTwo("GET", `/projects/default/bulk-retry-requests/${posted.json.id}`),
          ({ json }) => json.finished_at !== null
        )
        assert.deepInclude(ended.json, { status: "completed" })
        assert.deepInclude(ended.json.counts, { total: tasks, succeeded: tasks, claimed: 0, pending: 0 })
        assert.strictEqual(executed.size, tasks)
        assert.deepStrictEqual([...executed].filter(([, commands]) => commands.length !== 1), [])
      })
  )
})
