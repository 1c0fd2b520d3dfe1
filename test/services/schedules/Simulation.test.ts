import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Either, Layer, Runtime } from "effect"
import * as fc from "fast-check"
import { system } from "../../../src/domain/kernel/Actor.ts"
import type { ScheduleId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { CatchUp, Schedule } from "../../../src/domain/schedules/Schedule.ts"
import type { Cadence } from "../../../src/domain/schedules/Schedule/Cadence.ts"
import { compileSchedule, latestCursorAt } from "../../../src/domain/schedules/Schedule/Plan.ts"
import { layerAgentSessions } from "../../../src/gateway/SessionRegistry.ts"
import * as AuditLog from "../../../src/layers/AuditLog.ts"
import * as Database from "../../../src/layers/Database.ts"
import { Projects } from "../../../src/services/identity/Projects.ts"
import { Leader } from "../../../src/services/kernel/concurrency/Leader.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import { Vault } from "../../../src/services/kernel/keys/Keys.ts"
import { Metrics } from "../../../src/services/kernel/Metrics.ts"
import * as Removal from "../../../src/services/operations/Removal.ts"
import { ScheduleFires } from "../../../src/services/schedules/Fires.ts"
import { Schedules } from "../../../src/services/schedules/Schedules.ts"
import { freshProject } from "../../brain.ts"
import { settingsOn } from "../../databases.ts"
import { runs, seed } from "../../properties.ts"

const simulations = runs(30)

const startMillis = Date.parse("2026-03-28T20:00:00Z") // hours before clocks go forward in Berlin

/** A clock that only the simulation moves. */
const makeManualClock = () => {
  const live = Clock.make()
  const state = { millis: startMillis }
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => state.millis,
    currentTimeMillis: Effect.sync(() => state.millis),
    unsafeCurrentTimeNanos: () => live.unsafeCurrentTimeNanos(),
    currentTimeNanos: live.currentTimeNanos,
    sleep: (duration) => live.sleep(duration)
  }
  return { clock, state }
}

const cadences = [
  { kind: "interval", expression: "45m" },
  { kind: "interval", expression: "1h" },
  { kind: "cron", expression: "*/30 * * * *" },
  { kind: "cron", expression: "30 2 * * *" },
  { kind: "cron", expression: "0 0,3,12 * * *" }
] as const

const anyCadence = fc.constantFrom(...cadences)
const anySchedule = fc.record({
  cadence: anyCadence,
  catch_up: fc.constantFrom<CatchUp>("skip", "fire_one_missed", "fire_all_missed"),
  jitter_seconds: fc.constantFrom(0, 0, 1200),
  grace_seconds: fc.constantFrom(null, 0, 7200)
})
const seconds = fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 60, max: 30_000 }))
const which = fc.integer({ min: 0, max: 1 })

const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ action: fc.constant("run" as const), seconds }) },
  { weight: 2, arbitrary: fc.record({ action: fc.constant("suspend" as const), seconds }) },
  fc.record({ action: fc.constant("set forward and run" as const), seconds }),
  { weight: 2, arbitrary: fc.record({ action: fc.constant("set back" as const), seconds }) },
  fc.record({ action: fc.constant("lose the lease" as const), seconds }),
  fc.record({
    action: fc.constantFrom("pause" as const, "resume" as const, "enable" as const, "disable" as const),
    which
  }),
  fc.record({ action: fc.constant("edit" as const), which, cadence: anyCadence })
)
type Step = typeof anyStep extends fc.Arbitrary<infer A> ? A : never

/** What a schedule owes: ticks that passed on its clock while it was enabled. */
interface Owed {
  readonly id: ScheduleId
  /** Each with the cadence that it belongs to. */
  readonly ticks: Map<Timestamp.Timestamp, Cadence>
  /** When the schedule last began with the next tick. A clock that goes back by less than 5 s does not undo that. */
  beganAt: Timestamp.Timestamp
}

interface Misfire {
  readonly first: Timestamp.Timestamp
  readonly last: Timestamp.Timestamp
  readonly slots: number
}

/** Whether the misfire stands for the tick: it has `slots` ticks in a row. */
const covers = ({ first, last, slots }: Misfire, tick: Timestamp.Timestamp, cadence: Cadence): boolean =>
  first <= tick && tick <= last && [...cadence.ticksBetween(first, tick)].length < slots

const { clock, state } = makeManualClock()

const services = Layer.mergeAll(ScheduleFires.layer, Schedules.layer, Projects.layer, Leader.layer).pipe(
  Layer.provide(Removal.layer),
  Layer.provideMerge(layerAgentSessions),
  Layer.provideMerge(Vault.layer),
  Layer.provideMerge(AuditLog.layer),
  Layer.provideMerge(Database.layerServer),
  Layer.provideMerge(Metrics.layer),
  Layer.provideMerge(settingsOn("SQLite", { scheduleCatchUpMax: 5 })),
  Layer.provide(Layer.setClock(clock)),
  Layer.orDie
)

const simulation = Effect.gen(function*() {
  const fires = yield* ScheduleFires
  const schedules = yield* Schedules
  const leader = yield* Leader
  const sql = yield* SqlClient.SqlClient
  const now = Timestamp.now

  /** What one round of the fire loop does (`FireLoop.ts`, fireNext). */
  const firePass = Effect.gen(function*() {
    for (;;) {
      const due = yield* fires.listDue(new Set())
      if (due.batch.length > 0) yield* fires.fireBatch(due.batch, due.now)
      if (due.hasMore) continue
      const { cursor_at } = yield* fires.nextDue
      if (cursor_at === null || cursor_at <= latestCursorAt(yield* now)) return
      yield* fires.rewind()
    }
  })
  const lead = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.flatten(leader.only("simulation", body))

  /** The fire loop runs for some seconds: it wakes whenever a schedule is due. */
  const run = Effect.fnUntraced(function*(length: number) {
    const until = state.millis + length * 1000
    for (;;) {
      yield* lead(firePass)
      const { due_at } = yield* fires.nextDue
      const next = due_at === null ? Infinity : Timestamp.toEpochMillis(due_at) + 1
      if (next > until) break
      state.millis = Math.max(state.millis, next)
    }
    state.millis = Math.max(state.millis, until)
    yield* lead(firePass)
  })

  /** All writes of a leader that lost its lease are rolled back; the next leader fires. */
  const loseLease = lead(Effect.gen(function*() {
    const { batch, now } = yield* fires.listDue(new Set())
    yield* sql`DELETE FROM leases WHERE name = 'simulation'`
    if (batch.length === 0) return
    const lost = yield* Effect.either(fires.fireBatch(batch, now))
    assert.isTrue(Either.isLeft(lost), "a batch without the lease is refused")
  }))

  const find = (id: ScheduleId) => Effect.map(schedules.get(id), ({ schedule }) => schedule)

  /** The ticks that pass between two times, of schedules that are enabled. */
  const owe = Effect.fnUntraced(function*(owed: ReadonlyArray<Owed>, from: Timestamp.Timestamp) {
    const until = yield* now
    for (const { beganAt, id, ticks } of owed) {
      const schedule = yield* find(id)
      if (!schedule.is_enabled) continue
      const cadence = Either.getOrThrow(compileSchedule(schedule))
      for (const tick of cadence.ticksBetween(from, until)) {
        if (tick > beganAt || latestCursorAt(tick) < beganAt) ticks.set(tick, cadence)
      }
    }
  })

  const listOutcomes = Effect.fnUntraced(function*(schedule: Schedule) {
    const fired = yield* sql<{ tick: Timestamp.Timestamp }>`
      SELECT scheduled_for AS tick FROM schedule_fires WHERE schedule_id = ${schedule.id}`
    const misfires = yield* sql<Misfire>`
      SELECT expected_fire_at AS first, last_tick_at AS last, slots FROM schedule_misfires WHERE schedule_id = ${schedule.id}`
    return { fired: fired.map(({ tick }) => tick), misfires }
  })

  /** Enabling and a new cadence begin with the next tick after now: what is open then never fires (docs/schedules.md). */
  const forgive = Effect.fnUntraced(function*(owed: Owed) {
    const { id, ticks } = owed
    owed.beganAt = yield* now
    const { fired } = yield* listOutcomes(yield* find(id))
    for (const tick of ticks.keys()) if (!fired.includes(tick)) ticks.delete(tick)
  })

  const apply = Effect.fnUntraced(function*(step: Step, owed: ReadonlyArray<Owed>) {
    const from = yield* now
    switch (step.action) {
      case "run":
        yield* run(step.seconds)
        return yield* owe(owed, from)
      case "suspend":
        state.millis += step.seconds * 1000
        yield* owe(owed, from)
        return yield* lead(firePass)
      case "set forward and run": // and back again later, perhaps
        state.millis += step.seconds * 1000
        yield* owe(owed, from)
        return yield* run(600)
      case "set back":
        state.millis -= step.seconds * 1000
        return yield* lead(firePass)
      case "lose the lease":
        state.millis += step.seconds * 1000
        yield* owe(owed, from)
        yield* loseLease
        return yield* lead(firePass)
    }
    const target = owed[step.which]
    if (target === undefined) return
    switch (step.action) {
      case "edit": {
        yield* schedules.update(target.id, step.cadence)
        return yield* forgive(target)
      }
      case "enable":
        if ((yield* find(target.id)).is_enabled) return
        yield* schedules.enable(target.id)
        return yield* forgive(target)
      case "disable":
        yield* schedules.disable(target.id)
        return yield* forgive(target)
      case "pause":
        return yield* schedules.pause(target.id)
      case "resume":
        return yield* schedules.resume(target.id)
    }
  })

  const check = Effect.fnUntraced(function*({ id, ticks }: Owed) {
    const schedule = yield* find(id)
    const { fired, misfires } = yield* listOutcomes(schedule)
    assert.strictEqual(new Set(fired).size, fired.length, "a tick fired twice")
    const { due_at, next_run_at, total_runs } = schedule
    assert.strictEqual(total_runs, fired.length)
    for (const [tick, cadence] of ticks) {
      const isOpen = next_run_at !== null && tick >= next_run_at && due_at !== null && due_at > (yield* now)
      const isMisfire = misfires.some((misfire) => covers(misfire, tick, cadence))
      assert.isTrue(isOpen || isMisfire || fired.includes(tick), `the tick ${tick} is lost`)
    }
  })

  return Effect.fnUntraced(function*(
    definitions: ReadonlyArray<typeof anySchedule extends fc.Arbitrary<infer A> ? A : never>,
    steps: ReadonlyArray<Step>
  ) {
    state.millis = startMillis
    const project = yield* freshProject()
    yield* Effect.gen(function*() {
      const owed: Array<Owed> = []
      for (const [index, { cadence, ...rest }] of definitions.entries()) {
        const { schedule } = yield* schedules.create({
          ...cadence,
          ...rest,
          name: `schedule ${index}`,
          engine: "celery",
          timezone: "Europe/Berlin",
          task_name: "shop.tick",
          queue: null,
          args: "[]",
          kwargs: "{}",
          is_enabled: true,
          scheduler: null,
          source: "dashboard",
          source_hash: null,
          on_unknown_outcome: "continue"
        })
        owed.push({ id: schedule.id, ticks: new Map(), beganAt: yield* now })
      }
      const created = Timestamp.addSeconds(yield* now, -10 * Timestamp.secondsPerDay) // the clock goes back, but not as far
      yield* sql`UPDATE schedules SET anchor_at = ${created}, enabled_at = ${created} WHERE project_id = ${project.id}`
      for (const step of steps) yield* apply(step, owed)
      for (const { id } of owed) yield* schedules.resume(id)
      yield* lead(firePass)
      for (const schedule of owed) yield* check(schedule)
      for (const { id } of owed) yield* schedules.remove(id)
    }).pipe(Effect.provideService(CurrentProject, project), Effect.provideService(CurrentActor, system("test")))
  })
})

describe("random histories of a scheduler", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect(
      "no tick fires twice, and none is lost without a misfire or an action that explains it",
      () =>
        Effect.gen(function*() {
          const simulate = yield* simulation
          const runPromise = Runtime.runPromise(yield* Effect.runtime<SqlClient.SqlClient | Projects>())
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(
                fc.tuple(anySchedule, anySchedule),
                fc.array(anyStep, { minLength: 1, maxLength: 12 }),
                (definitions, steps) => runPromise(simulate(definitions, steps))
              ),
              { numRuns: simulations, seed, endOnFailure: false }
            )
          )
        }),
      Math.max(120_000, 4000 * simulations)
    )
  })
})
