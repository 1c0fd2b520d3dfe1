/** The table of docs/schedules.md, and the mistakes of other schedulers as their public threads report them. */
import { assert, describe, it } from "@effect/vitest"
import { cadenceOf, localTicks, time } from "./cadences.ts"

const after = (expression: string, zone: string, from: string, count: number) =>
  localTicks(cadenceOf(expression, zone), from, count)

/** How many ticks a local day has, from the two midnights in UTC. */
const countBetween = (expression: string, zone: string, from: string, to: string): number =>
  [...cadenceOf(expression, zone).ticksBetween(time(from), time(to))].length

describe("fixed times", () => {
  it.each([
    ["Europe/Berlin", "30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00 gap"],
    ["Europe/Berlin", "30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T02:30:00+02:00 overlap"],
    ["America/New_York", "30 2 * * *", "2026-03-07T12:00:00Z", "2026-03-08T03:00:00-04:00 gap"],
    ["America/New_York", "30 1 * * *", "2026-10-31T12:00:00Z", "2026-11-01T01:30:00-04:00 overlap"],
    ["Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00:00Z", "2026-10-04T02:30:00+11:00 gap"],
    ["Australia/Lord_Howe", "45 1 * * *", "2026-04-04T00:00:00Z", "2026-04-05T01:45:00+11:00 overlap"],
    ["Pacific/Chatham", "0 3 * * *", "2026-09-26T00:00:00Z", "2026-09-27T03:45:00+13:45 gap"],
    ["Pacific/Chatham", "0 3 * * *", "2026-04-04T00:00:00Z", "2026-04-05T03:00:00+13:45 overlap"],
    ["Antarctica/Troll", "0 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00 gap"],
    ["Antarctica/Troll", "0 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T02:00:00+02:00 overlap"],
    ["Africa/Cairo", "0 0 * * *", "2026-04-23T12:00:00Z", "2026-04-24T01:00:00+03:00 gap"],
    ["Africa/Cairo", "30 23 * * *", "2026-10-29T12:00:00Z", "2026-10-29T23:30:00+03:00 overlap"],
    ["America/Santiago", "0 0 * * SUN", "2026-09-05T12:00:00Z", "2026-09-06T01:00:00-03:00 gap"],
    ["America/Santiago", "30 23 * * SAT", "2026-04-04T12:00:00Z", "2026-04-04T23:30:00-03:00 overlap"],
    ["Pacific/Apia", "0 12 * * *", "2011-12-29T22:30:00Z", "2011-12-31T12:00:00+14:00"],
    ["Antarctica/Casey", "30 3 * * *", "2009-10-17T00:00:00Z", "2009-10-18T05:00:00+11:00 gap"],
    ["UTC", "30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T02:30:00+00:00"],
    ["Asia/Kathmandu", "30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T02:30:00+05:45"]
  ])("%s %s after %s", (zone, expression, from, expected) => {
    assert.deepStrictEqual(after(expression, zone, from, 1), [expected])
  })

  it("tick once for several times in one gap", () => {
    assert.deepStrictEqual(after("0,15,30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2), [
      "2026-03-29T03:00:00+02:00 gap",
      "2026-03-30T02:00:00+02:00"
    ])
    assert.deepStrictEqual(after("* 30 2 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 2), [
      "2026-03-29T03:00:00+02:00 gap",
      "2026-03-30T02:30:00+02:00"
    ])
  })

  it("tick once where a time in the gap meets one after it", () => {
    assert.deepStrictEqual(after("30,0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2), [
      "2026-03-29T03:00:00+02:00",
      "2026-03-29T03:30:00+02:00"
    ])
  })
})

describe("elapsed time", () => {
  it("has 23 or 25 hours", () => {
    assert.strictEqual(countBetween("0 * * * *", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), 23)
    assert.strictEqual(countBetween("0 * * * *", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"), 25)
    assert.strictEqual(countBetween("@hourly", "Antarctica/Troll", "2026-10-24T22:00:00Z", "2026-10-26T00:00:00Z"), 26)
  })

  it("neither doubles nor drops steps", () => {
    assert.deepStrictEqual(after("*/30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 5), [
      "2026-10-25T02:00:00+02:00 overlap",
      "2026-10-25T02:30:00+02:00 overlap",
      "2026-10-25T02:00:00+01:00 overlap",
      "2026-10-25T02:30:00+01:00 overlap",
      "2026-10-26T02:00:00+01:00"
    ])
    assert.deepStrictEqual(after("*/30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 1), [
      "2026-03-30T02:00:00+02:00"
    ])
    assert.deepStrictEqual(after("*/20 * * * *", "Australia/Lord_Howe", "2026-10-03T14:45:00Z", 3), [
      "2026-10-04T01:20:00+10:30",
      "2026-10-04T01:40:00+10:30",
      "2026-10-04T02:40:00+11:00"
    ])
  })
})

describe("what others got wrong", () => {
  it("celery 10107: the hourly job skips the repeated hour", () => {
    assert.deepStrictEqual(after("0 * * * *", "US/Pacific", "2026-11-01T08:00:00Z", 1), [
      "2026-11-01T01:00:00-08:00 overlap"
    ])
  })

  it("celery 6438: no ticks at all on the day of the change, and times that do not exist", () => {
    assert.deepStrictEqual(after("20 2 * * *", "Europe/Paris", "2020-10-24T12:00:00Z", 2), [
      "2020-10-25T02:20:00+02:00 overlap",
      "2020-10-26T02:20:00+01:00"
    ])
    assert.deepStrictEqual(after("10 2 * * *", "Europe/Paris", "2020-03-28T12:00:00Z", 2), [
      "2020-03-29T03:00:00+02:00 gap",
      "2020-03-30T02:10:00+02:00"
    ])
    assert.strictEqual(
      countBetween("* * * * *", "Europe/Paris", "2020-10-24T22:00:00Z", "2020-10-25T23:00:00Z"),
      25 * 60
    )
  })

  it("celery 9653 and django-celery-beat 134: an hour late on the day of the change", () => {
    assert.deepStrictEqual(after("4 16 * * *", "America/New_York", "2025-03-08T21:04:00Z", 2), [
      "2025-03-09T16:04:00-04:00",
      "2025-03-10T16:04:00-04:00"
    ])
    assert.deepStrictEqual(after("0 14 * * 4", "America/Los_Angeles", "2018-03-08T22:00:00Z", 1), [
      "2018-03-15T14:00:00-07:00"
    ])
  })

  it("celery 1604: an hour early and once more on the day of the change", () => {
    assert.deepStrictEqual(after("0 17 * * *", "America/New_York", "2015-10-31T21:00:00Z", 2), [
      "2015-11-01T17:00:00-05:00",
      "2015-11-02T17:00:00-05:00"
    ])
  })

  it.each([
    ["Pacific/Chatham", "50 3 * * *", "2026-09-26T03:50:00+12:45", "2026-09-27T03:50:00+13:45"],
    ["Pacific/Chatham", "50 3 * * *", "2026-04-04T03:50:00+13:45", "2026-04-05T03:50:00+12:45"],
    ["Antarctica/Troll", "0 23 * * *", "2026-10-24T23:00:00+02:00", "2026-10-25T23:00:00+00:00"]
  ])("celery 10608: %s %s after %s", (zone, expression, last, next) => {
    assert.deepStrictEqual(after(expression, zone, last, 1), [next])
  })

  it("celery 10585: sparse expressions are found over a century without a leap day", () => {
    assert.deepStrictEqual(after("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 1), ["2104-02-29T00:00:00+00:00"])
    assert.deepStrictEqual(after("0 0 * 2 5#5", "UTC", "2092-03-01T00:00:00Z", 1), ["2104-02-29T00:00:00+00:00"])
  })

  it("node-cron 492: the walk stops, or does not advance, for a day around the change", () => {
    const ticks = [
      ...cadenceOf("*/30 * * * * *", "America/Chicago")
        .ticksBetween(time("2025-11-02T02:02:00Z"), time("2025-11-03T06:58:30Z"))
    ]
    assert.strictEqual(ticks.length, (28 * 60 + 56.5) * 2)
    assert.deepStrictEqual(ticks, ticks.toSorted())
    assert.deepStrictEqual(after("0 2 * * *", "Europe/Vienna", "2025-10-26T00:00:00Z", 1), [
      "2025-10-27T02:00:00+01:00"
    ])
  })

  it("django-celery-beat 912: a first tick is no earlier than the expression says, whatever the start", () => {
    const start = "2025-06-29T14:00:00Z"
    assert.deepStrictEqual(after("0 15 * * *", "UTC", start, 1), ["2025-06-29T15:00:00+00:00"])
    assert.deepStrictEqual(after("0 15 * * *", "UTC", "2025-06-29T15:00:00Z", 1), ["2025-06-30T15:00:00+00:00"])
  })
})
