import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { join } from "node:path"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { celeryWorker } from "./celery.ts"
import { tlsProxy } from "./tls.ts"

const ready = await has("Redis", "Python", "OpenSSL")

/** A project with an agent, and REST calls in it by an admin's key. */
const prepareFixture = Effect.gen(function*() {
  const project = yield* freshProject()
  const { token } = yield* freshKey({ isAdmin: true })
  const call = (method: string, path: string, body?: unknown) =>
    request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body })
  const created = yield* call("POST", "/agents", { name: "celery" })
  assert.strictEqual(created.status, 201)
  const agent: { readonly id: string } = created.json.agent
  const task = (id: string) => Effect.map(call("GET", `/tasks/celery/${encodeURIComponent(id)}`), ({ json }) => json)
  const waitForState = (id: string, ...states: ReadonlyArray<string>) =>
    until(task(id), ({ state }) => states.includes(state))
  /** Posts a command and waits for its end. */
  const command = (action: string, body: object) =>
    Effect.gen(function*() {
      const posted = yield* call("POST", `/commands/${action}`, { agent_id: agent.id, ...body })
      assert.strictEqual(posted.status, 202, posted.text)
      const ended = yield* until(
        Effect.map(call("GET", `/commands/${posted.json.id}`), ({ json }) => json),
        ({ status }) => !["pending", "dispatched"].includes(status)
      )
      return ended
    })
  return {
    project,
    agent,
    token: created.json.token,
    hmacSecret: created.json.hmac_secret,
    call,
    task,
    waitForState,
    command
  }
})

// the agent does not see which database the brain has: each test is on one of the two
describe.skipIf(!ready)("the published Celery agent, with a brain on PostgreSQL,", () => {
  layer(serverOn("PostgreSQL"), { excludeTestServices: true })((it) => {
    it.scoped("reports what happens and obeys", () =>
      Effect.gen(function*() {
        const node = "w1@shop"
        const { agent, call, command, hmacSecret, project, waitForState, task, token } = yield* prepareFixture
        const celery = yield* celeryWorker({
          brainUrl: yield* baseUrl,
          project: project.slug,
          agentId: agent.id,
          token,
          hmacSecret,
          redisDatabase: 12,
          node
        })
        yield* until(call("GET", "/agents"), ({ json }) => json[0]?.state === "online").pipe(
          Effect.tapError(() => Effect.log(celery.log()))
        )
        yield* until(
          call("GET", "/workers"),
          ({ json }) => json.some((worker: { name: string }) => worker.name === node)
        )

        const [added = ""] = yield* celery.send("add")
        const success = yield* waitForState(added, "success")
        assert.deepInclude(success, {
          name: "shop.add",
          queue: "celery",
          state: "success",
          retry_count: 0,
          worker_name: node
        })
        assert.deepStrictEqual([success.args, success.kwargs], [[2, 3], {}])

        const [failed = ""] = yield* celery.send("fail")
        const failure = yield* waitForState(failed, "failure")
        assert.deepInclude(failure, { name: "shop.fail", state: "failure" })
        assert.match(failure.exception, /ValueError.*no stock/)

        const [flaky = ""] = yield* celery.send("flaky")
        assert.deepInclude(yield* waitForState(flaky, "success"), {
          name: "shop.flaky",
          retry_count: 1,
          parent_task_id: null
        })

        const [first = "", second = ""] = yield* celery.send("chain")
        yield* waitForState(first, "success")
        yield* waitForState(second, "success")
        const tree = yield* call("GET", `/tasks/celery/${second}/tree`)
        assert.deepInclude(tree.json, { root_task_id: first, node_count: 2, truncated: false })

        for (const id of yield* celery.send("group")) yield* waitForState(id, "success")

        const [login = ""] = yield* celery.send("login")
        const masked = yield* waitForState(login, "success")
        assert.notInclude(JSON.stringify(masked), "hunter2")
        assert.strictEqual(masked.kwargs.password, "[REDACTED]")

        const events = yield* call("GET", `/events?engine=celery&task_id=${flaky}`)
        const kinds = events.json.items.map((event: { kind: string }) => event.kind)
        for (const kind of ["task.received", "task.started", "task.retried", "task.succeeded"]) {
          assert.include(kinds, kind)
        }

        const retried = yield* command("retry-task", { engine: "celery", task_id: added })
        assert.deepInclude(retried, { status: "completed", error: null })
        yield* waitForState(retried.result.new_task_id, "success")

        const overridden = yield* command("retry-task", {
          engine: "celery",
          task_id: added,
          override_args: [20, 22],
          override_kwargs: {}
        })
        assert.strictEqual(overridden.status, "completed")
        assert.strictEqual(String((yield* waitForState(overridden.result.new_task_id, "success")).result), "42")

        const [napping = ""] = yield* celery.send("nap")
        yield* waitForState(napping, "started")
        assert.strictEqual((yield* command("cancel-task", { engine: "celery", task_id: napping })).status, "completed")
        yield* waitForState(napping, "revoked")

        const resized = yield* command("pool-resize", { worker_name: node, delta: 1 })
        assert.deepInclude(resized, { status: "completed" })
        assert.deepInclude(resized.result, { worker: node, delta: 1 })
        const limited = yield* command("rate-limit", { task_name: "shop.add", rate: "10/s", worker_name: node })
        assert.strictEqual(limited.status, "completed")

        yield* celery.send("parked")
        const unguarded = yield* command("purge-queue", { queue: "parked" })
        assert.strictEqual(unguarded.status, "failed")
        const mismatch = yield* command("purge-queue", { queue: "parked", observed_depth: 2 })
        assert.strictEqual(mismatch.status, "failed")
        const purged = yield* command("purge-queue", { queue: "parked", observed_depth: 3 })
        assert.deepInclude(purged, { status: "completed" })
        assert.deepInclude(purged.result, { queue: "parked", purged: 3 })

        const consuming = yield* command("add-consumer", { worker_name: node, queue: "parked" })
        assert.strictEqual(consuming.status, "completed")
        for (const id of yield* celery.send("parked")) {
          yield* waitForState(id, "success")
        }
        assert.strictEqual(
          (yield* command("cancel-consumer", { worker_name: node, queue: "parked" })).status,
          "completed"
        )

        assert.strictEqual((yield* task(added)).state, "success")

        /** Creates a schedule and waits for the task of its first fire. */
        const fired = (schedule: object) =>
          Effect.gen(function*() {
            const created = yield* call("POST", "/schedules", {
              name: `adds ${JSON.stringify(schedule)}`,
              engine: "celery",
              task_name: "shop.add",
              args: [20],
              kwargs: { b: 22 },
              ...schedule
            })
            assert.strictEqual(created.status, 201, created.text)
            const fires = Effect.map(call("GET", `/schedules/${created.json.id}/fires`), ({ json }) => json.at(-1))
            const fire = yield* until(fires, (first) => first?.status === "acked_success")
            assert.isNumber(fire.latency_ms)
            const fireCommand = yield* call("GET", `/commands/${fire.command_id}`)
            assert.deepInclude(fireCommand.json, { action: "schedule.fire", status: "completed" })
            const submitted = yield* waitForState(fireCommand.json.result.task_id, "success")
            assert.deepInclude(submitted, { name: "shop.add", queue: "celery", worker_name: node })
            assert.deepStrictEqual([submitted.args, submitted.kwargs], [[20], { b: 22 }])
            assert.strictEqual(String(submitted.result), "42")
            return created.json.id
          })
        yield* fired({ kind: "clocked", expression: new Date((yield* Clock.currentTimeMillis) + 5000).toISOString() })
        const everySecond = yield* fired({ kind: "interval", expression: "1" })
        const triggered = yield* call("POST", `/schedules/${everySecond}/trigger`)
        assert.strictEqual(triggered.status, 200)
        const triggering = yield* until(
          Effect.map(call("GET", triggered.headers.get("location")?.split(project.slug)[1] ?? ""), ({ json }) => json),
          ({ status }) => status === "completed"
        )
        yield* waitForState(triggering.result.task_id, "success")
      }))
  })
})

describe.skipIf(!ready)("the published Celery agent, with a brain on SQLite,", () => {
  layer(serverOn("SQLite"), { excludeTestServices: true })((it) => {
    it.scoped(
      "runs the README's shop: what the bank declined is retried with the arguments it had",
      () =>
        Effect.gen(function*() {
          const { agent, call, command, hmacSecret, project, waitForState, task, token } = yield* prepareFixture
          const celery = yield* celeryWorker({
            brainUrl: yield* baseUrl,
            project: project.slug,
            agentId: agent.id,
            token,
            hmacSecret,
            redisDatabase: 9,
            node: "worker@shop",
            app: join(import.meta.dirname, "../../examples/celery")
          })
          yield* Effect.tapError(
            until(call("GET", "/agents"), ({ json }) => json[0]?.state === "online"),
            () => Effect.log(celery.log())
          )
          const [charged = "", thanked = ""] = yield* celery.send("")
          yield* waitForState(thanked, "success")
          const declined = yield* waitForState(charged, "failure")
          assert.match(declined.exception, /the bank declined order/)
          const retried = yield* command("retry-task", { engine: "celery", task_id: charged })
          assert.deepInclude(retried, { status: "completed", note: null })
          assert.include(JSON.stringify((yield* waitForState(retried.result.new_task_id, "success")).result), "1999")
          assert.strictEqual((yield* task(charged)).retry_note, null)
          const cancelled = yield* command("cancel-task", { engine: "celery", task_id: thanked })
          assert.deepInclude(cancelled, {
            status: "completed",
            dispatched_at: null,
            note: "There was nothing to cancel: the task has ended (success)."
          })
        })
    )

    it.scoped("works over long-poll as well", () =>
      Effect.gen(function*() {
        const { agent, call, command, hmacSecret, project, waitForState, token } = yield* prepareFixture
        const { cert, url } = yield* tlsProxy(yield* baseUrl)
        const celery = yield* celeryWorker({
          brainUrl: url,
          authority: cert,
          project: project.slug,
          agentId: agent.id,
          token,
          hmacSecret,
          redisDatabase: 13,
          node: "w2@shop",
          transport: "longpoll"
        })
        const online = until(call("GET", "/agents"), ({ json }) => json[0]?.state === "online")
        yield* Effect.tapError(online, () => Effect.log(celery.log()))
        const [added = ""] = yield* celery.send("add")
        yield* waitForState(added, "success")
        const retried = yield* command("retry-task", { engine: "celery", task_id: added })
        assert.deepInclude(retried, { status: "completed" })
        yield* waitForState(retried.result.new_task_id, "success")
      }))
  })
})
