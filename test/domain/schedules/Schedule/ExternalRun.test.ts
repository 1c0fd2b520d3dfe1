import { assert, describe, it } from "@effect/vitest"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import {
  bullmqScheduler,
  countMissedSlots,
  countSlots,
  expectedRun,
  latestShowing,
  nextRunAfter
} from "../../../../src/domain/schedules/Schedule/ExternalRun.ts"

const at = (text: string): Timestamp.Timestamp => {
  const timestamp = Timestamp.parse(text)
  if (timestamp === undefined) throw new Error(text)
  return timestamp
}

const beat = (expression: string, timezone: string, kind = "cron") => ({
  scheduler: "celery-beat",
  kind,
  expression,
  timezone
})

/**
 * What celery-beat of Celery 5.7.0 did on the day: a `crontab` whose `nowfun` was moved by 20 s, with `is_due` as beat
 * asks it. First and last runs, and how many there were.
 */
const celery: ReadonlyArray<
  readonly [zone: string, expression: string, day: string, runs: number, first: string, last: string]
> = [
  ["Europe/Berlin", "30 2 * * *", "2026-03-29", 1, "03:30:00+02:00", "03:30:00+02:00"],
  ["Europe/Berlin", "0 3 * * *", "2026-03-29", 1, "03:00:00+02:00", "03:00:00+02:00"],
  ["Europe/Berlin", "0 * * * *", "2026-03-29", 23, "00:00:00+01:00", "23:00:00+02:00"],
  ["Europe/Berlin", "0 5 * * *", "2026-03-29", 1, "05:00:00+02:00", "05:00:00+02:00"],
  ["Europe/Berlin", "30 2 * * *", "2026-10-25", 1, "02:30:00+02:00", "02:30:00+02:00"],
  ["Europe/Berlin", "*/30 2 * * *", "2026-10-25", 2, "02:00:00+02:00", "02:30:00+02:00"],
  ["Europe/Berlin", "0 * * * *", "2026-10-25", 24, "00:00:00+02:00", "23:00:00+01:00"],
  ["Europe/Berlin", "*/15 * * * *", "2026-10-25", 96, "00:00:00+02:00", "23:45:00+01:00"],
  ["Europe/Berlin", "0 3 * * *", "2026-10-25", 1, "03:00:00+01:00", "03:00:00+01:00"],
  ["America/New_York", "30 2 * * *", "2026-03-08", 1, "03:30:00-04:00", "03:30:00-04:00"],
  ["America/New_York", "30 1 * * *", "2026-11-01", 1, "01:30:00-04:00", "01:30:00-04:00"],
  ["America/New_York", "0 * * * *", "2026-11-01", 24, "00:00:00-04:00", "23:00:00-05:00"],
  ["UTC", "30 2 * * *", "2026-03-29", 1, "02:30:00+00:00", "02:30:00+00:00"]
]

/** The offset at the end of the day, which is not yet that of its beginning. */
const offsets: Readonly<Record<string, readonly [before: string, after: string]>> = {
  "Europe/Berlin 2026-03-29": ["+01:00", "+02:00"],
  "Europe/Berlin 2026-10-25": ["+02:00", "+01:00"],
  "America/New_York 2026-03-08": ["-05:00", "-04:00"],
  "America/New_York 2026-11-01": ["-04:00", "-05:00"],
  "UTC 2026-03-29": ["+00:00", "+00:00"]
}

describe("celery-beat", () => {
  for (const [zone, expression, day, runs, first, last] of celery) {
    it(`${expression} in ${zone} on ${day}`, () => {
      const [before = "", after = ""] = offsets[`${zone} ${day}`] ?? []
      const begin = Timestamp.addSeconds(at(`${day}T00:00:00${before}`), -0.000001)
      const end = at(`${day}T23:59:59${after}`)
      const schedule = beat(expression, zone)
      const ticks: Array<Timestamp.Timestamp> = []
      for (
        let tick = nextRunAfter(schedule, begin);
        tick !== null && tick <= end;
        tick = nextRunAfter(schedule, tick)
      ) ticks.push(tick)
      assert.strictEqual(ticks.length, runs)
      // a run comes at its expected moment; after a gap it may come later, which is no misfire
      for (const [tick, run] of [[ticks[0], first], [ticks.at(-1), last]] as const) {
        assert.isDefined(tick)
        const seen = at(`${day}T${run}`)
        assert.isTrue(tick <= seen && seen <= latestShowing(schedule, tick, 0), `${tick} for ${seen}`)
        if (!(expression === "30 2 * * *" && day.includes("-03-") && zone !== "UTC")) assert.strictEqual(tick, seen)
      }
    })
  }

  it("expects nothing where its rules differ from crontab(5) or svc does not know them", () => {
    assert.isNull(nextRunAfter(beat("0 0 13 * fri", "UTC"), at("2026-11-01T00:00:00Z"))) // both days must match
    assert.isNull(nextRunAfter(beat("dawn", "UTC", "solar"), at("2026-11-01T00:00:00Z")))
    assert.isNull(nextRunAfter(beat("0 3 * * *", "Nowhere/Else"), at("2026-11-01T00:00:00Z")))
    assert.isNull(nextRunAfter(beat("0.5", "UTC", "interval"), at("2026-11-01T00:00:00Z")))
  })

  it("an interval counts from the last run", () => {
    const last = at("2026-11-01T00:00:07.25Z")
    assert.strictEqual(nextRunAfter(beat("30.0", "UTC", "interval"), last), at("2026-11-01T00:00:37Z"))
  })
})

describe("the next run that must be shown", () => {
  const now = at("2026-11-01T12:00:00Z")
  const reported = {
    ...beat("0 * * * *", "UTC"),
    is_enabled: true,
    last_run_at: at("2026-11-01T09:00:00.5Z"),
    next_run_at: null
  }
  // the cast: expectedRun reads no other fields
  const stored = (fields: object) =>
    ({ ...reported, due_at: null, ...fields }) as unknown as Parameters<
      typeof expectedRun
    >[1]

  it("is what the scheduler announces, else the tick after the last run", () => {
    const announced = at("2026-11-01T11:30:00Z")
    assert.strictEqual(expectedRun({ ...reported, next_run_at: announced }, null, now), announced)
    const before = stored({ last_run_at: at("2026-11-01T08:00:00Z") })
    assert.strictEqual(expectedRun(reported, before, now), at("2026-11-01T10:00:00Z"))
    assert.isNull(expectedRun({ ...reported, last_run_at: null }, null, now))
    assert.isNull(expectedRun({ ...reported, is_enabled: false }, before, now))
  })

  it("is later than the moment when the schedule was first seen, enabled or given its cadence", () => {
    const next = at("2026-11-01T13:00:00Z")
    assert.strictEqual(expectedRun(reported, null, now), next)
    assert.strictEqual(expectedRun(reported, stored({ is_enabled: false }), now), next)
    assert.strictEqual(expectedRun(reported, stored({ expression: "0 3 * * *" }), now), next)
    // and stays so, when something else changes
    assert.strictEqual(expectedRun(reported, stored({ due_at: next }), now), next)
  })
})

describe("missed ticks", () => {
  const due = at("2026-11-01T10:00:00Z")
  const minutely = { ...beat("* * * * *", "UTC") }

  it("are counted until a run", () => {
    assert.strictEqual(countSlots(minutely, due, due), 1)
    assert.strictEqual(countSlots(minutely, due, at("2026-11-01T10:05:30Z")), 6)
    assert.strictEqual(countSlots(beat("dawn", "UTC", "solar"), due, at("2026-11-02T10:00:00Z")), 1)
    assert.strictEqual(countSlots(minutely, due, at("2026-12-01T10:00:00Z")), 1000)
    const lastRunAt = at("2026-11-01T10:05:00.2Z")
    assert.strictEqual(countMissedSlots(minutely, due, { lastRunAt, runs: 1 }), 5)
    assert.strictEqual(countMissedSlots(minutely, due, { lastRunAt, runs: 3 }), 3)
    // BullMQ's run is the first tick, late
    assert.strictEqual(countMissedSlots({ ...minutely, scheduler: bullmqScheduler }, due, { lastRunAt, runs: 1 }), 6)
  })
})
