import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { bullmq } from "../../src/agent/engines/bullmq/BullMQ.ts"
import { startAgent } from "../../src/agent/runtime/startAgent.ts"
import { bull, connection } from "../agent/engines/bullmq/world.ts"
import { baseUrl, serverOn } from "../brain.ts"
import { engines } from "../databases.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { prepareFixture, workerProcess } from "./bullmq/fixture.ts"

describe.skipIf(!await has("Redis")).each(engines)("BullMQ's workers and schedules on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("run what the brain's schedules fire: a job for each fire, with two processes of one agent", () =>
      Effect.gen(function*() {
        const { call, home, hmacSecret, waitForState, token } = yield* prepareFixture
        const { prefix, queue } = yield* bull
        const shop = yield* queue("shop")
        const brainUrl = yield* baseUrl
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            startAgent({ brainUrl, token, hmacSecret, home, role: "web", engines: [bullmq({ queues: [shop] })] })
          ),
          (app) => Effect.promise(() => app.close())
        )
        yield* workerProcess(prefix, brainUrl, token, hmacSecret, home, String(connection.port))

        const create = (schedule: object) =>
          Effect.map(
            call("POST", "/schedules", {
              name: `greets ${JSON.stringify(schedule)}`,
              engine: "bullmq",
              task_name: "greet",
              kwargs: { to: "ada" },
              queue: "shop",
              ...schedule
            }),
            ({ json, status, text }) => {
              assert.strictEqual(status, 201, text)
              return json.id
            }
          )
        const firesOf = (id: string) => Effect.map(call("GET", `/schedules/${id}/fires`), ({ json }) => json)
        /** The first fires of the schedule, once the engine has them; each has a task, whose id is the fire's. */
        const fired = (id: string, count: number) =>
          Effect.gen(function*() {
            const fires = yield* until(firesOf(id), (found) => found.length >= count)
            for (const { fire_id } of fires.slice(-count)) {
              const fire = yield* until(
                Effect.map(firesOf(id), (found) =>
                  found.find((other: typeof fires[number]) => other.fire_id === fire_id)),
                (found) =>
                  found?.status === "acked_success"
              )
              const command = yield* call("GET", `/commands/${fire.command_id}`)
              assert.deepInclude(command.json, { action: "schedule.fire", status: "completed" })
              assert.deepInclude(command.json.result, { task_id: `shop:${fire_id}`, engine: "bullmq" })
              const task = yield* waitForState(`shop:${fire_id}`, "success")
              assert.deepInclude(task, { name: "greet", queue: "shop", kwargs: { to: "ada" }, result: { to: "ada" } })
            }
          })

        const soon = new Date((yield* Clock.currentTimeMillis) + 5000).toISOString()
        yield* fired(yield* create({ kind: "clocked", expression: soon }), 1)
        const everySecond = yield* create({ kind: "interval", expression: "1" })
        yield* fired(everySecond, 3)
        const triggered = yield* call("POST", `/schedules/${everySecond}/trigger`)
        assert.strictEqual(triggered.status, 200, triggered.text)
        yield* call("POST", `/schedules/${everySecond}/disable`)

        // Redis has a job for each fire, one of the one-time schedule and one of the trigger, and none that ran twice
        const submitted = yield* until(
          firesOf(everySecond),
          (found) => found.every(({ status }: { readonly status: string }) => status === "acked_success")
        )
        yield* until(Effect.promise(() => shop.getCompletedCount()), (count) => count === submitted.length + 2)
        const jobs = yield* Effect.promise(() => shop.getCompleted())
        for (const { fire_id } of submitted) assert.include(jobs.map(({ id }) => id), fire_id)
        assert.isTrue(jobs.every(({ attemptsMade }) => attemptsMade === 1))
      }))

    it.scoped("have job schedulers that the brain shows, as BullMQ has them", () =>
      Effect.gen(function*() {
        const { call, home, hmacSecret, token } = yield* prepareFixture
        const { queue } = yield* bull
        const shop = yield* queue("shop")
        const upsert = (...args: Parameters<typeof shop.upsertJobScheduler>) =>
          Effect.promise(() => shop.upsertJobScheduler(...args))
        yield* upsert("digest", { pattern: "0 7 * * *", tz: "Europe/Oslo", limit: 9 }, {
          name: "greet",
          data: { to: "ada", token: "hunter2" },
          opts: { attempts: 3 }
        })
        yield* upsert("sweep:all", { every: 90_500, startDate: Date.now() + 3_600_000 }, { name: "nap", data: [1] })
        const brainUrl = yield* baseUrl
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            startAgent({ brainUrl, token, hmacSecret, home, role: "web", engines: [bullmq({ queues: [shop] })] })
          ),
          (app) => Effect.promise(() => app.close())
        )
        const shown = yield* until(
          Effect.map(call("GET", "/schedules"), ({ json }) => json.items),
          (items) => items.length === 2
        )
        const named = (name: string) => shown.find((schedule: { readonly name: string }) => schedule.name === name)
        const digest = yield* Effect.promise(() => shop.getJobScheduler("digest"))
        assert.deepInclude(named("shop:digest"), {
          engine: "bullmq",
          scheduler: "bullmq-scheduler",
          task_name: "greet",
          kind: "cron",
          expression: "0 7 * * *",
          timezone: "Europe/Oslo",
          queue: "shop",
          args: [],
          kwargs: { to: "ada", token: "[REDACTED]" },
          is_enabled: true,
          last_run_at: null,
          total_runs: 0,
          external_id: "shop:digest"
        })
        assert.strictEqual(Date.parse(named("shop:digest").next_run_at), digest?.next)
        assert.deepInclude(named("shop:sweep:all"), { kind: "interval", expression: "90.5", args: [1], queue: "shop" })
      }))

    it.scoped("have job schedulers that the brain creates, changes, triggers and deletes", () =>
      Effect.gen(function*() {
        const { call, home, hmacSecret, waitForState, token } = yield* prepareFixture
        const { prefix, queue } = yield* bull
        const shop = yield* queue("shop")
        const scheduler = (key: string) => Effect.promise(() => shop.getJobScheduler(key))
        yield* Effect.promise(() =>
          shop.upsertJobScheduler("yearly", { pattern: "0 0 1 1 *", tz: "UTC" }, {
            name: "greet",
            data: { to: "ada", token: "hunter2" },
            opts: { removeOnComplete: false }
          })
        )
        const brainUrl = yield* baseUrl
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            startAgent({ brainUrl, token, hmacSecret, home, role: "web", engines: [bullmq({ queues: [shop] })] })
          ),
          (app) => Effect.promise(() => app.close())
        )
        yield* workerProcess(prefix, brainUrl, token, hmacSecret, home, String(connection.port))
        const listed = Effect.map(call("GET", "/schedules"), ({ json }) => json.items)
        const named = (name: string) =>
          Effect.map(
            until(listed, (items) => items.some((item: { readonly name: string }) => item.name === name)),
            (items) => items.find((item: { readonly name: string }) => item.name === name)
          )
        const yearly = yield* named("shop:yearly")
        const ended = (path: string) =>
          Effect.map(
            until(call("GET", `/schedules/${path}`), ({ json }) =>
              !["pending", "sent", "accepted"].includes(json.status)),
            ({ json }) =>
              json
          )
        const operate = (method: string, path: string) =>
          Effect.flatMap(call(method, `/schedules/${yearly.id}${path}`), ({ json, status, text }) => {
            assert.strictEqual(status, 202, text)
            return ended(`external-control-operations/${json.id}`)
          })
        const change = (operation: string, more: object) =>
          Effect.flatMap(
            call("POST", "/schedules/native-operations", {
              request_id: crypto.randomUUID(),
              scheduler: "bullmq-scheduler",
              operation,
              ...more
            }),
            ({ json, status, text }) => {
              assert.strictEqual(status, 202, text)
              return ended(`native-operations/${json.id}`)
            }
          )

        const capabilities = yield* call("GET", "/schedules/native-capabilities")
        assert.deepInclude(capabilities.json.schedulers[0], {
          scheduler: "bullmq-scheduler",
          is_live: true,
          operations: ["create", "update", "delete", "trigger"]
        })
        for (const verb of ["enable", "disable"]) {
          const refused = yield* call("POST", `/schedules/${yearly.id}/${verb}`)
          assert.deepInclude(refused.json, { status: 409, code: "schedule_operation_unsupported" })
        }

        const triggered = yield* operate("POST", "/trigger")
        assert.deepInclude(triggered, { status: "succeeded", error: null })
        const task = yield* waitForState(`shop:${triggered.id}`, "success")
        assert.deepInclude(task.result, { to: "ada" })

        const definition = { name: "poll", task_name: "nap", kind: "interval", expression: "3600", queue: "shop" }
        assert.deepInclude(yield* change("create", { definition }), { status: "succeeded", error: null })
        const poll = yield* named("shop:poll")
        assert.deepInclude(poll, { task_name: "nap", kind: "interval", expression: "3600.0", is_enabled: true })
        assert.deepInclude(yield* scheduler("poll"), { name: "nap", every: 3_600_000 })

        const updated = yield* change("update", { schedule_id: yearly.id, definition: { expression: "0 0 2 1 *" } })
        assert.deepInclude(updated, { status: "succeeded", error: null })
        const after = yield* scheduler("yearly")
        assert.deepInclude(after, { pattern: "0 0 2 1 *", name: "greet" })
        assert.deepStrictEqual(after?.template?.data, { to: "ada", token: "hunter2" }, "no mask is written back")

        // the application changes it too: the brain's view is old, and nothing is deleted
        yield* Effect.promise(() => shop.upsertJobScheduler("yearly", { pattern: "0 0 3 1 *" }, { name: "greet" }))
        const stale = yield* operate("DELETE", "")
        assert.strictEqual(stale.status, "failed")
        assert.include(stale.error, "is not as the command expects it")
        assert.deepInclude(yield* scheduler("yearly"), { pattern: "0 0 3 1 *" })

        yield* call("POST", "/schedules:resync")
        yield* until(named("shop:yearly"), ({ expression }) => expression === "0 0 3 1 *")
        assert.deepInclude(yield* operate("DELETE", ""), { status: "succeeded", error: null })
        assert.isUndefined(yield* scheduler("yearly"))
        const left = yield* until(listed, (items) => items.length === 1)
        assert.strictEqual(left[0].name, "shop:poll")
      }))
  })
})

describe.skipIf(!await has("Redis"))("BullMQ's job schedulers that do not run", () => {
  layer(serverOn("SQLite", { scheduleGraceSeconds: 2 }), { excludeTestServices: true })((it) => {
    /** A job scheduler whose job is later than the grace when the first agent publishes it. */
    const late = Effect.gen(function*() {
      const project = yield* prepareFixture
      const { prefix, queue } = yield* bull
      const shop = yield* queue("shop")
      const long = yield* Effect.promise(() =>
        shop.addBulk([{ name: "long", data: { n: 1 } }, { name: "long", data: { n: 2 } }])
      )
      yield* Effect.promise(() => shop.upsertJobScheduler("sweep", { every: 1000 }, { name: "nap" }))
      yield* Effect.sleep("4 seconds")
      const misfire = Effect.map(
        until(project.call("GET", "/schedules/misfires"), ({ json }) => json.length > 0),
        ({ json }) => json[0]
      )
      return { ...project, prefix, shop, long, misfire, brainUrl: yield* baseUrl }
    })

    it.scoped("without a worker are misfires that name the schedule", () =>
      Effect.gen(function*() {
        const { brainUrl, hmacSecret, home, misfire, shop, token } = yield* late
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            startAgent({ brainUrl, token, hmacSecret, home, role: "web", engines: [bullmq({ queues: [shop] })] })
          ),
          (app) => Effect.promise(() => app.close())
        )
        assert.deepInclude(yield* misfire, { cause: "scheduler_down", name: "shop:sweep", engine: "bullmq" })
      }))

    it.scoped("because both slots of the worker run long jobs are misfires with that cause", () =>
      Effect.gen(function*() {
        const { brainUrl, hmacSecret, home, long, misfire, prefix, waitForState, token } = yield* late
        yield* workerProcess(prefix, brainUrl, token, hmacSecret, home, String(connection.port))
        for (const { id } of long) yield* waitForState(`shop:${id}`, "started")
        assert.deepInclude(yield* misfire, { cause: "previous_not_started", name: "shop:sweep", engine: "bullmq" })
      }))
  })
})
