import { assert, describe, it } from "@effect/vitest"
import type { Queue } from "bullmq"
import { Effect } from "effect"
import { bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import type { ActionFailed, NewSchedule } from "../../../../src/agent/runtime/Engine.ts"
import { has } from "../../../needs.ts"
import { activation } from "../../../protocol/snapshots.ts"
import { until } from "../../../until.ts"
import { command, publishing } from "../conformance.ts"
import { add, bull, connection, gate, listening } from "./world.ts"

const ready = await has("Redis")

const upsert = (queue: Queue, ...[id, repeat, template]: Parameters<Queue["upsertJobScheduler"]>) =>
  Effect.promise(() => queue.upsertJobScheduler(id, repeat, template))
const readRefusal = <A>(action: Effect.Effect<A, ActionFailed>) =>
  Effect.map(Effect.flip(action), ({ message }) => message)

/** A queue, and an agent's engine that follows it and its job schedulers. */
const prepareScheduler = Effect.gen(function*() {
  const { prefix, queue, worker } = yield* bull
  const mail = yield* queue("mail")
  const engine = bullmqFromOutside({ queues: ["mail"], connection, prefix })
  const { scheduler } = engine
  if (scheduler === undefined) throw new Error("no scheduler")
  yield* listening(engine)
  // The cast: BullMQ's adapter has what is called here.
  const actions = scheduler.actions as Required<typeof scheduler.actions>
  const findSchedule = (id: string) => Effect.map(scheduler.list, (all) => all.find((schedule) => schedule.id === id))
  return { actions, engine, mail, findSchedule, worker }
})

describe.skipIf(!ready)("BullMQ's job schedulers", () => {
  it.scopedLive("are late while the job before does not begin: without a worker, and while the worker is busy", () =>
    Effect.gen(function*() {
      const { mail, findSchedule, worker } = yield* prepareScheduler
      yield* upsert(mail, "sweep", { every: 1000 }, { name: "sweep" })
      const first = yield* findSchedule("mail:sweep")
      // several ticks pass: no further job is created, and nothing of the record changes
      yield* until(Effect.sync(() => Date.now()), (now) => now > (first?.next_run_at ?? 0) + 2500)
      assert.deepStrictEqual(yield* findSchedule("mail:sweep"), first)
      assert.deepInclude(first, { is_enabled: true, last_run_at: null, total_runs: 0 })
      assert.strictEqual(yield* Effect.promise(() => mail.count()), 1)

      const { open, opened } = gate()
      const begunAt = Date.now()
      yield* worker("mail", (job) => job.name === "long" ? opened : Promise.resolve(), { concurrency: 1 })
      const ran = yield* until(findSchedule("mail:sweep"), (schedule) => (schedule?.total_runs ?? 0) > 0)
      // the ticks in between are left out: the next one is in the future
      assert.isAtLeast(ran?.next_run_at ?? 0, begunAt)
      assert.isAtLeast(ran?.last_run_at ?? 0, begunAt - 1)

      yield* add(mail, "long", {})
      yield* until(Effect.promise(() => mail.getActive()), ([job]) => job?.name === "long")
      const busy = yield* findSchedule("mail:sweep")
      yield* until(Effect.sync(() => Date.now()), (now) => now > (busy?.next_run_at ?? 0) + 2500)
      assert.deepStrictEqual(yield* findSchedule("mail:sweep"), busy, "the worker is there, and its only slot is taken")
      open()
      const after = yield* until(
        findSchedule("mail:sweep"),
        (schedule) => (schedule?.total_runs ?? 0) > (busy?.total_runs ?? 0)
      )
      assert.isAbove(after?.last_run_at ?? 0, (busy?.next_run_at ?? 0) + 2500)
    }))

  it.scopedLive("end by their limit, which begins again when the application upserts them", () =>
    Effect.gen(function*() {
      const { mail, findSchedule, worker } = yield* prepareScheduler
      yield* upsert(mail, "thrice", { every: 200, limit: 3 })
      const runs = yield* worker("mail", async () => 1)
      yield* until(findSchedule("mail:thrice"), (schedule) => (schedule?.total_runs ?? 0) >= 2)
      yield* Effect.promise(() => runs.pause())
      yield* upsert(mail, "thrice", { every: 200, limit: 3 })
      const again = yield* findSchedule("mail:thrice")
      yield* until(Effect.sync(() => Date.now()), (now) => now > (again?.next_run_at ?? 0))
      const due = yield* findSchedule("mail:thrice")
      assert.deepInclude(due, { is_enabled: true, last_run_at: null }, "the upsert's job says nothing of the last run")
      yield* Effect.promise(async () => runs.resume())
      const ended = yield* until(findSchedule("mail:thrice"), (schedule) => schedule?.is_enabled === false)
      assert.isNull(ended?.next_run_at)
      assert.isAbove(ended?.total_runs ?? 0, 3)
      assert.isAtLeast(ended?.last_run_at ?? 0, due?.next_run_at ?? Infinity)
    }))

  it.scopedLive("are created and changed; what a definition does not have stays", () =>
    Effect.gen(function*() {
      const { actions: { create, update }, mail, findSchedule } = yield* prepareScheduler
      const digest: NewSchedule = {
        name: "digest",
        task_name: "send",
        kind: "cron",
        expression: "0 7 * * *",
        timezone: "Europe/Oslo",
        kwargs: { all: true }
      }
      assert.deepStrictEqual(yield* create(digest), { schedule_id: "mail:digest" })
      assert.deepInclude(yield* findSchedule("mail:digest"), {
        ...digest,
        name: "mail:digest",
        args: [],
        queue: "mail"
      })
      assert.deepStrictEqual(yield* create({ ...digest, name: "mail:poll", kind: "interval", expression: "90.5" }), {
        schedule_id: "mail:poll"
      })
      assert.deepInclude(yield* findSchedule("mail:poll"), { kind: "interval", expression: "90.5", timezone: "UTC" })

      const limits = { limit: 9, endDate: Date.now() + 1e9, every: 60_000 }
      yield* upsert(mail, "kept", limits, { name: "sweep", data: { old: 1 }, opts: { attempts: 4 } })
      const before = yield* findSchedule("mail:kept")
      if (before === undefined) throw new Error("no schedule")
      yield* update({ schedule_id: "mail:kept", definition: { task_name: "brush", is_enabled: true } })
      assert.deepStrictEqual(yield* findSchedule("mail:kept"), { ...before, task_name: "brush" })
      yield* update({ schedule_id: "mail:kept", definition: { args: ["a"], kwargs: {} } })
      assert.deepInclude(yield* findSchedule("mail:kept"), { args: ["a"], kwargs: {}, settings: before.settings ?? {} })
      yield* update({ schedule_id: "mail:kept", definition: { kind: "cron", expression: "*/5 * * * *" } })
      yield* update({ schedule_id: "mail:kept", definition: { timezone: "Asia/Tokyo" } })
      const cron = yield* findSchedule("mail:kept")
      assert.deepInclude(cron, { kind: "cron", expression: "*/5 * * * *", timezone: "Asia/Tokyo", task_name: "brush" })
      assert.deepInclude(cron?.settings, { limit: 9, endDate: limits.endDate, options: { attempts: 4 } })

      for (
        const [invalid, sentence] of [
          [digest, "has a job scheduler digest already"],
          [{ ...digest, name: "mail:" }, "needs a name"],
          [{ ...digest, name: "x", queue: "post" }, "no queue post, only: mail"],
          [{ ...digest, name: "x", expression: "61 * * * *" }, "Constraint error"],
          [{ ...digest, name: "x", expression: "0 0 30 2 *" }, "Invalid explicit day of month"],
          [{ ...digest, name: "x", timezone: "Mars/Base" }, "Mars/Base is not a known time zone"],
          [{ ...digest, name: "x", kind: "clocked" }, "of the kinds cron and interval, not clocked"],
          [{ ...digest, name: "x", kind: "interval", expression: "5m" }, "not a number of seconds"],
          [{ ...digest, name: "x", kind: "interval", expression: "0" }, "not a number of seconds"],
          [{ ...digest, name: "x", args: [1] }, "one value"],
          [{ ...digest, name: "x", is_enabled: false }, "cannot disable a job scheduler"]
        ] as const
      ) assert.include(yield* readRefusal(create(invalid)), sentence)
      for (
        const [definition, sentence] of [
          [{ name: "other" }, "cannot rename"],
          [{ queue: "post" }, "cannot move"],
          [{ kind: "interval" }, "kind interval needs its expression"],
          [{ is_enabled: false }, "cannot disable a job scheduler"]
        ] as const
      ) assert.include(yield* readRefusal(update({ schedule_id: "mail:kept", definition })), sentence)
      assert.include(yield* readRefusal(update({ schedule_id: "mail:x", definition: {} })), "no job scheduler x")
      assert.deepStrictEqual(yield* findSchedule("mail:kept"), cron)
    }))

  it.scopedLive("are published again when a run is late, and when it begins", () =>
    Effect.gen(function*() {
      const { engine, mail, worker } = yield* prepareScheduler
      yield* upsert(mail, "sweep", { every: 3_600_000 })
      let now = Date.now()
      const { snapshots, streams } = publishing(engine, () => now)
      const [stream] = streams
      if (stream === undefined) throw new Error("no stream")
      yield* command(engine, "schedule.external.activate", activation("bullmq-scheduler"), 1000, streams)
      yield* stream.tick
      assert.strictEqual(snapshots.length, 1, "due a moment ago is not late")
      now += 60_000
      yield* stream.tick
      now += 60_000
      yield* stream.tick
      assert.deepStrictEqual(snapshots.map(({ reason }) => reason), ["activation", "signal:coalesced"])
      yield* worker("mail", async () => 1)
      yield* until(Effect.promise(() => mail.getDelayedCount()), (count) => count === 1)
      yield* stream.tick
      assert.strictEqual(snapshots.length, 3)
      assert.deepInclude(snapshots[2]?.rows[0], { total_runs: 1 })
      assert.isString(snapshots[2]?.rows[0]?.last_run_at)
    }))

  it.scopedLive("cannot be disabled, which the refusals explain; triggered twice under one fire id they run once", () =>
    Effect.gen(function*() {
      const { engine, mail } = yield* prepareScheduler
      yield* upsert(mail, "sweep", { pattern: "0 0 1 1 *" }, { name: "sweep", opts: { removeOnComplete: true } })
      const { streams } = publishing(engine)
      const run = (action: string, parameters: { readonly schedule_id: string; readonly fire_id?: string }) =>
        command(engine, action, { ...parameters }, 1000, streams)
      for (const action of ["schedule.disable", "schedule.enable"]) {
        assert.deepStrictEqual(yield* run(action, { schedule_id: "mail:sweep" }), {
          status: "failed",
          result: null,
          error:
            `adapter 'bullmq-scheduler' does not support action '${action}': BullMQ cannot disable a job scheduler; ` +
            "delete it, or pause its queue, which holds all of its jobs"
        })
      }
      const request = { schedule_id: "mail:sweep", fire_id: "f-1" }
      const first = yield* run("schedule.trigger_now", request)
      assert.deepStrictEqual(yield* run("schedule.trigger_now", request), first)
      assert.strictEqual(yield* Effect.promise(() => mail.getWaitingCount()), 1)
    }))

  it.scopedLive("of the brain: a fire is submitted once, also to a queue that removes its jobs when they end", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      mail.jobsOpts = { removeOnComplete: true }
      const engines = [1, 2].map(() => bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      for (const engine of engines) yield* listening(engine)
      let runs = 0
      yield* worker("mail", async () => ++runs, { removeOnComplete: { count: 0 } })
      const fire = { task_name: "report", args: [], kwargs: {}, fire_id: "1b9d6bcd-bbfd-5b2d-9b5d-ab8dfbbd4bed" }
      const submit = Effect.forEach(engines, (engine) => command(engine, "schedule.fire", fire), { concurrency: 2 })
      const results = yield* submit
      yield* until(Effect.sync(() => runs), (count) => count === 1)
      yield* until(Effect.promise(() => mail.getJob(fire.fire_id)), (job) => job === undefined)
      assert.deepStrictEqual(yield* submit, results)
      const last = yield* add(mail, "last", {})
      yield* until(Effect.promise(() => mail.getJob(last.id ?? "")), (job) => job === undefined)
      assert.strictEqual(runs, 2)
      for (const { result, status } of results) {
        assert.deepStrictEqual([status, result?.task_id], ["success", `mail:${fire.fire_id}`])
      }
    }))
})
