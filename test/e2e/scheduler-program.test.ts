import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { freePort } from "../ports.ts"
import { migratedPostgres } from "../postgres.ts"
import { until } from "../until.ts"
import { type BrainProcess, type Call, signedIn, siteOf } from "./brainProcess.ts"
import { certificates, schedulerProcess, untilRole } from "./schedulerProcess.ts"

const path = (project: string) => `/projects/${project}/schedules`

/** A brain on PostgreSQL that leaves firing to schedulers, and the settings of one of them. */
const makeSite = Effect.gen(function*() {
  const { url } = yield* migratedPostgres
  const files = yield* certificates
  const port = yield* freePort
  const site = yield* siteOf(inject("program"), {
    ...files.brain,
    SVC_DATABASE_URL: url,
    SVC_EMBEDDED_SCHEDULER: "false",
    SVC_SCHEDULER_GRPC_PORT: String(port)
  })
  const brain = yield* site.brain
  const call = (yield* signedIn(brain))(brain)
  return { brain, call, settings: { ...files.scheduler, SVC_SCHEDULER_BRAIN: `127.0.0.1:${port}` } }
})

/** Creates a schedule that ticks each second. */
const addSchedule = (call: Call, project = "default") =>
  Effect.gen(function*() {
    const { json, status } = yield* call("POST", path(project), {
      name: "every second",
      engine: "celery",
      kind: "interval",
      expression: "1",
      task_name: "shop.tick",
      catch_up: "fire_all_missed"
    })
    assert.strictEqual(status, 201, JSON.stringify(json))
    return String(json.id)
  })

/** The ticks that fired, as seconds, oldest first. */
const ticksOf = (call: Call, id: string, project: string) =>
  Effect.map(
    call("GET", `${path(project)}/${id}/fires?limit=1000`),
    ({ json }): ReadonlyArray<number> =>
      json.map((fire: { readonly scheduled_for: string }) => Date.parse(fire.scheduled_for) / 1000).toReversed()
  )

const awaitMore = (call: Call, id: string, count = 2, project = "default") =>
  Effect.gen(function*() {
    const before = yield* ticksOf(call, id, project)
    return yield* until(ticksOf(call, id, project), (after) => after.length >= before.length + count)
  })

const assertNoGap = (ticks: ReadonlyArray<number>) => {
  const [first = 0] = ticks
  assert.deepStrictEqual(ticks, ticks.map((_, index) => first + index))
}

/** Ticks of the schedule pass while the brain is gone. */
const passTicks = Effect.sleep("4 seconds")

const restart = (brain: BrainProcess) => Effect.zipRight(brain.kill, Effect.zipRight(passTicks, brain.start))

describe("svc-scheduler with a real brain over mutual TLS", () => {
  it.scopedLive(
    "fires, continues while the brain or itself is killed, and hands each tick over once",
    () =>
      Effect.gen(function*() {
        const { brain, call, settings } = yield* makeSite
        const scheduler = yield* schedulerProcess(settings)
        const checked = yield* scheduler.run("check")
        assert.strictEqual(checked.code, 0, checked.text)
        const id = yield* addSchedule(call)
        yield* Effect.tapError(awaitMore(call, id), () => Effect.log(scheduler.log()))
        yield* restart(brain)
        assertNoGap(yield* awaitMore(call, id))
        yield* scheduler.kill
        yield* passTicks
        yield* scheduler.start
        assertNoGap(yield* awaitMore(call, id))
        // both: it starts without the brain, by what it knows
        yield* brain.kill
        yield* scheduler.kill
        yield* scheduler.start
        yield* until(scheduler.status, ({ waiting_fires }) => waiting_fires >= 3)
        yield* brain.start
        assertNoGap(yield* awaitMore(call, id))
        // a project that did not exist before
        const { json: shop } = yield* call("POST", "/projects", { slug: "shop", name: "Shop" })
        assert.strictEqual(shop.slug, "shop", JSON.stringify(shop))
        assertNoGap(yield* awaitMore(call, yield* addSchedule(call, "shop"), 2, "shop"))
        const { code, text } = yield* scheduler.run("doctor")
        assert.strictEqual(code, 0, text)
        assert.strictEqual(yield* scheduler.stop, 0, scheduler.log())
      })
  )

  it.scopedLive("two of them: one fires, the other is a standby and takes over", () =>
    Effect.gen(function*() {
      const { call, settings } = yield* makeSite
      const id = yield* addSchedule(call)
      const first = yield* schedulerProcess(settings)
      yield* untilRole(first, "fires")
      const second = yield* schedulerProcess(settings)
      yield* untilRole(second, "stands_by")
      assertNoGap(yield* awaitMore(call, id))
      yield* first.kill
      yield* untilRole(second, "fires")
      assertNoGap(yield* awaitMore(call, id))
      yield* first.start
      yield* untilRole(first, "stands_by")
      yield* second.freeze
      yield* untilRole(first, "fires")
      yield* second.resume
      yield* untilRole(second, "stands_by")
      assertNoGap(yield* awaitMore(call, id))
      // an orderly end leaves the lease at once
      assert.strictEqual(yield* first.stop, 0, first.log())
      yield* untilRole(second, "fires")
      assertNoGap(yield* awaitMore(call, id))
    }))
})
