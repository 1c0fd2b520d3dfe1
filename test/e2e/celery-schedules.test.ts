import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { engines } from "../databases.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { celeryHost } from "./celery.ts"

const ready = await has("Redis", "Python")

/** A host for processes with the published agents, and REST calls in their project by an admin's key. */
const prepareFixture = (redisDatabase: number) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const { token } = yield* freshKey({ isAdmin: true })
    const call = (method: string, path: string, body?: unknown) =>
      request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body })
    const { json: { agent, hmac_secret, token: agentToken } } = yield* call("POST", "/agents", { name: "beat" })
    const host = yield* celeryHost({
      brainUrl: yield* baseUrl,
      project: project.slug,
      agentId: agent.id,
      token: agentToken,
      hmacSecret: hmac_secret,
      redisDatabase,
      node: "w1@shop"
    })
    const listed = Effect.map(call("GET", "/schedules"), ({ json }) => json.items)
    /** The schedule of this name, once `when` holds. */
    const schedule = (name: string, when: (schedule: Record<string, unknown>) => boolean = () => true) =>
      Effect.map(
        until(listed, (items) => items.some((item: Record<string, unknown>) => item.name === name && when(item))),
        (items) => items.find((item: { readonly name: string }) => item.name === name)
      )
    const ended = (path: string) =>
      Effect.map(
        until(call("GET", path), ({ json }) => !["pending", "sent", "accepted"].includes(json.status)),
        ({ json }) => json
      )
    /** Requests an operation on a schedule of its own scheduler, and waits for its end. */
    const operate = (method: string, path: string) =>
      Effect.gen(function*() {
        const begun = yield* call(method, `/schedules/${path}`)
        assert.strictEqual(begun.status, 202, begun.text)
        const location = begun.headers.get("location") ?? ""
        assert.strictEqual(
          location,
          `/api/v1/projects/${project.slug}/schedules/external-control-operations/${begun.json.id}`
        )
        return yield* ended(`/schedules/external-control-operations/${begun.json.id}`)
      })
    /** Asks for a change at the schedule's own scheduler, and waits for its end. */
    const change = (scheduler: string, operation: string, more: object) =>
      Effect.gen(function*() {
        const body = { request_id: crypto.randomUUID(), scheduler, operation, ...more }
        const begun = yield* call("POST", "/schedules/native-operations", body)
        assert.strictEqual(begun.status, 202, begun.text)
        const repeated = yield* call("POST", "/schedules/native-operations", body)
        assert.deepStrictEqual([repeated.status, repeated.json.id], [202, begun.json.id])
        return yield* ended(`/schedules/native-operations/${begun.json.id}`)
      })
    return { host, call, listed, schedule, operate, change }
  })

describe.skipIf(!ready).each(engines)("schedulers with the published agents on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped(
      "celery-beat of the configuration: its schedules are shown, and only triggered",
      () =>
        Effect.gen(function*() {
          const { operate, call, host, schedule } = yield* prepareFixture(engine === "SQLite" ? 7 : 8)
          const worker = ["-A", "shop", "worker", "-E", "--concurrency", "1", "--hostname", "w1@shop"]
          yield* host.start("celery", worker, "task")
          const beat = yield* host.start("celery", ["-A", "static_beat", "beat", "--loglevel", "INFO"], "scheduler")
          const night = yield* Effect.tapError(schedule("every night"), () => Effect.log(beat.log()))
          assert.deepInclude(night, {
            scheduler: "celery-beat",
            engine: "celery",
            kind: "interval",
            task_name: "shop.add",
            is_enabled: true
          })
          assert.deepStrictEqual([night.args, night.kwargs], [[20], { b: 22 }])
          const capabilities = yield* call("GET", "/schedules/native-capabilities")
          assert.strictEqual(capabilities.json.schedulers.length, 1)
          assert.deepInclude(capabilities.json.schedulers[0], {
            scheduler: "celery-beat",
            is_live: true,
            operations: ["trigger"]
          })

          const triggered = yield* operate("POST", `${night.id}/trigger`)
          assert.deepInclude(triggered, { operation: "trigger", status: "succeeded", error: null })
          const isTriggered = ({ args }: { readonly args: ReadonlyArray<number> }) => args[0] === 20
          const tasks = yield* until(
            Effect.map(call("GET", "/tasks?limit=500"), ({ json }) => json.items),
            (items) => items.some(isTriggered)
          )
          const task = yield* until(
            Effect.map(call("GET", `/tasks/celery/${tasks.find(isTriggered).task_id}`), ({ json }) => json),
            ({ state }) => state === "success"
          )
          assert.strictEqual(String(task.result), "42")

          for (const verb of ["enable", "disable"]) {
            const refused = yield* call("POST", `/schedules/${night.id}/${verb}`)
            assert.strictEqual(refused.status, 409)
            assert.deepInclude(refused.json, {
              code: "schedule_operation_unsupported",
              detail:
                `celery-beat cannot ${verb} its schedules from here. It can: trigger. Change the schedule where it is defined.`
            })
          }
          assert.strictEqual((yield* call("DELETE", `/schedules/${night.id}`)).status, 409)
        })
    )

    it.scoped(
      "django-celery-beat: a disabled schedule stops, an enabled one fires, a deleted one is gone",
      () =>
        Effect.gen(function*() {
          const { operate, call, change, host, listed, schedule } = yield* prepareFixture(engine === "SQLite" ? 5 : 6)
          const rows = Effect.map(host.python("-m", "django_beat", "show"), (text) => JSON.parse(text))
          const row = (name: string) =>
            Effect.map(rows, (all) => all.find((one: { readonly name: string }) => one.name === name))
          yield* host.python("-m", "django_beat", "prepare")
          const beat = yield* host.start("celery", ["-A", "django_beat", "beat", "--loglevel", "INFO"], "scheduler")
          const second = yield* Effect.tapError(schedule("every second"), () => Effect.log(beat.log()))
          yield* schedule("every second", ({ total_runs }) => Number(total_runs) > 0)

          const disabled = yield* operate("POST", `${second.id}/disable`)
          assert.deepInclude(disabled, {
            operation: "disable",
            status: "succeeded",
            error: null,
            desired_is_enabled: false
          })
          assert.isAbove(disabled.reserved_sequence, disabled.expected_accepted_sequence)
          assert.strictEqual((yield* row("every second")).enabled, false)
          yield* schedule("every second", ({ is_enabled }) => is_enabled === false)
          const sent = () => beat.log().split("Sending due task every second").length
          yield* until(Effect.sync(() => beat.log()), (log) => log.includes("Schedule changed"))
          const before = sent()
          yield* Effect.sleep("2 seconds")
          assert.isAtMost(sent() - before, 1)

          const enabled = yield* operate("POST", `${second.id}/enable`)
          assert.deepInclude(enabled, { status: "succeeded", error: null, desired_is_enabled: true })
          assert.strictEqual((yield* row("every second")).enabled, true)
          const resumed = sent()
          yield* until(Effect.sync(sent), (count) => count > resumed + 1)

          const created = yield* change("celery-beat", "create", {
            definition: {
              name: "hourly",
              task_name: "shop.add",
              kind: "interval",
              expression: "3600",
              args: [12345678901234567890n.toString(), 1],
              kwargs: {}
            }
          })
          assert.deepInclude(created, { operation: "create", status: "succeeded", error: null })
          const hourly = yield* schedule("hourly")
          assert.strictEqual(created.schedule_id, hourly.id)

          const stale = yield* call("POST", "/schedules/native-operations", {
            request_id: crypto.randomUUID(),
            scheduler: "celery-beat",
            operation: "update",
            schedule_id: hourly.id,
            observed_control_token: crypto.randomUUID(),
            definition: { expression: "60" }
          })
          assert.deepStrictEqual([stale.status, stale.json.code], [409, "stale_control_token"])
          const updated = yield* change("celery-beat", "update", {
            schedule_id: hourly.id,
            observed_control_token: hourly.control_token,
            definition: { expression: "7200", args: [7] }
          })
          assert.deepInclude(updated, { status: "succeeded", error: null, schedule_id: hourly.id })
          const moved = yield* schedule("hourly", ({ expression }) => Number(expression) === 7200)
          assert.deepStrictEqual(moved.args, [7])
          assert.notStrictEqual(moved.control_token, hourly.control_token)

          const invalid = yield* change("celery-beat", "update", {
            schedule_id: hourly.id,
            definition: { kind: "cron", expression: "this is no cron" }
          })
          assert.strictEqual(invalid.status, "indeterminate")
          const known = yield* until(
            call("GET", `/schedules/native-operations/${invalid.id}`),
            ({ json }) => json.status !== "indeterminate"
          )
          assert.strictEqual(known.json.status, "failed", known.text)
          assert.include(known.json.error, "A later snapshot shows that it was not done.")

          assert.deepInclude(yield* operate("DELETE", hourly.id), { operation: "delete", status: "succeeded" })
          assert.isUndefined(yield* row("hourly"))
          yield* until(listed, (items) => !items.some((item: { readonly id: string }) => item.id === hourly.id))

          const audit = yield* call("GET", "/audit?action_prefix=schedule.&limit=100")
          const actions = audit.json.items.map((entry: { readonly action: string }) => entry.action)
          for (const action of ["create", "update", "delete", "enable", "disable"]) {
            assert.include(actions, `schedule.${action}_requested`)
          }
        })
    )

    it.scoped(
      "APScheduler: jobs are created, changed, triggered, disabled, enabled and deleted",
      () =>
        Effect.gen(function*() {
          const { operate, change, host, listed, schedule } = yield* prepareFixture(engine === "SQLite" ? 4 : 3)
          const jobs = yield* host.start("python", ["-m", "jobs"], "scheduler")
          const lines = (prefix: string) =>
            Effect.sync(() => {
              try {
                return readFileSync(host.env.SHOP_LOG, "utf8").split("\n").filter((line) => line.startsWith(prefix))
                  .length
              } catch {
                return 0 // no job has run yet
              }
            })
          const day = yield* Effect.tapError(schedule("every day"), () => Effect.log(jobs.log()))
          assert.deepInclude(yield* operate("POST", `${day.id}/trigger`), { status: "succeeded", error: null })
          yield* until(lines("day 3"), (count) => count === 1)

          const second = yield* schedule("every second")
          assert.deepInclude(yield* operate("POST", `${second.id}/disable`), { status: "succeeded", error: null })
          const stopped = yield* lines("second")
          yield* Effect.sleep("2 seconds")
          assert.isAtMost((yield* lines("second")) - stopped, 1)
          yield* schedule("every second", ({ is_enabled }) => is_enabled === false)
          assert.deepInclude(yield* operate("POST", `${second.id}/enable`), { status: "succeeded", error: null })
          const resumed = yield* lines("second")
          yield* until(lines("second"), (count) => count > resumed)

          const created = yield* change("apscheduler", "create", {
            definition: {
              name: "hourly",
              task_name: "jobs.note",
              kind: "interval",
              expression: "3600",
              args: ["hourly"],
              kwargs: {},
              timezone: "UTC"
            }
          })
          assert.deepInclude(created, { status: "succeeded", error: null })
          const updated = yield* change("apscheduler", "update", {
            schedule_id: created.schedule_id,
            definition: { expression: "1", args: ["often"] }
          })
          assert.deepInclude(updated, { status: "succeeded", error: null })
          yield* until(lines("often"), (count) => count > 0)
          assert.deepInclude(yield* operate("DELETE", created.schedule_id), { status: "succeeded", error: null })
          yield* until(listed, (items) => !items.some(({ id }: { readonly id: string }) => id === created.schedule_id))
        })
    )
  })
})

describe.skipIf(!ready)("the death of a scheduler", () => {
  layer(serverOn("SQLite", { scheduleGraceSeconds: 1 }), { excludeTestServices: true })((it) => {
    it.scoped(
      "kill -9 of APScheduler: its schedules are shown, and their ticks are misfires with the cause",
      () =>
        Effect.gen(function*() {
          const { call, host, schedule } = yield* prepareFixture(15)
          const jobs = yield* host.start("python", ["-m", "jobs"], "scheduler")
          const second = yield* Effect.tapError(schedule("every second"), () => Effect.log(jobs.log()))
          yield* jobs.kill
          yield* until(
            call("GET", "/schedules/native-capabilities"),
            ({ json }) => json.schedulers[0].is_live === false
          )
          const misfires = yield* until(
            call("GET", `/schedules/${second.id}/misfires`),
            ({ json }) => json.some(({ cause }: { readonly cause: string }) => cause === "scheduler_down")
          )
          assert.deepInclude(misfires.json[0], { schedule_id: second.id, name: "every second", engine: "apscheduler" })
          assert.strictEqual((yield* schedule("every second")).is_enabled, true)
          const refused = yield* call("POST", `/schedules/${second.id}/trigger`)
          assert.deepStrictEqual([refused.status, refused.json.code], [409, "schedule_publisher_offline"])

          yield* host.start("python", ["-m", "jobs"], "scheduler")
          yield* until(call("GET", "/schedules/native-capabilities"), ({ json }) => json.schedulers[0].is_live === true)
        })
    )
  })
})
