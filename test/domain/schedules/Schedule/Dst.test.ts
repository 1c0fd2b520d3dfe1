/** The table of docs/schedules.md, and the mistakes of other schedulers as their public threads report them. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { addSeconds, secondsPerDay } from "../../../../src/domain/kernel/Timestamp.ts"
import { cadenceOf, localTicks, time } from "./cadences.ts"

const after = (expression: string, zone: string, from: string, count: number) =>
  localTicks(cadenceOf(expression, zone), from, count)

/** How many ticks a local day has, from the two midnights in UTC. */
const countBetween = (expression: string, zone: string, from: string, to: string): number =>
  [...cadenceOf(expression, zone).ticksBetween(time(from), time(to))].length

/** The rows of the table in docs/schedules.md that have a time zone, a day and an expression. */
const publishedRows = [
  ...readFileSync("docs/schedules.md", "utf8").matchAll(/^\| (\S+) \| (\d{4}-\d\d-\d\d) \| `(.+)` \| (.+) \|$/gm)
].map(([, zone = "", day = "", expression = "", fires = ""]) => ({ zone, day, expression, fires }))

/** The ticks of a local day without their date, as the table writes them. */
const ticksOfDay = (zone: string, day: string, expression: string): ReadonlyArray<string> => {
  const cadence = cadenceOf(expression, zone)
  const noon = time(`${day}T12:00:00Z`)
  return [...cadence.ticksBetween(addSeconds(noon, -2 * secondsPerDay), addSeconds(noon, 2 * secondsPerDay))]
    .map(cadence.describeTick)
    .filter(({ local }) => local.startsWith(day))
    .map(({ dst, local }) => `${local.slice(11, 16)}${local.slice(19)}${dst === null ? "" : ` ${dst}`}`)
}

describe("docs/schedules.md", () => {
  it("has rows for ten zones and more", () => {
    assert.isAbove(new Set(publishedRows.map(({ zone }) => zone)).size, 9)
  })

  it.each(publishedRows)("$zone $day $expression: $fires", ({ day, expression, fires, zone }) => {
    const ticks = ticksOfDay(zone, day, expression)
    if (fires.endsWith(" times")) assert.strictEqual(`${ticks.length} times`, fires)
    else assert.strictEqual(ticks.join(", ") || "nothing", fires)
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
