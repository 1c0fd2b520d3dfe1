import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { compile } from "../../../../src/domain/schedules/Schedule/Cadence.ts"
import { cadenceOf, localTicks, refusalOf, time } from "./cadences.ts"

/** UTC ticks without their zeros: `2026-01-02 03:04`. */
const ticks = (expression: string, after: string, count = 3): ReadonlyArray<string> =>
  localTicks(cadenceOf(expression), after, count).map((local) => local.slice(0, 16).replace("T", " "))

const newYear = "2026-01-01T00:00:00Z" // a Thursday

describe("cron", () => {
  it.each([
    ["30 9 * * *", ["2026-01-01 09:30", "2026-01-02 09:30", "2026-01-03 09:30"]],
    ["0 22-2/2 * * *", ["2026-01-01 02:00", "2026-01-01 22:00", "2026-01-02 00:00"]],
    ["10/20 0 * * *", ["2026-01-01 00:10", "2026-01-01 00:30", "2026-01-01 00:50"]],
    ["0 0 1 jan,JUL *", ["2026-07-01 00:00", "2027-01-01 00:00", "2027-07-01 00:00"]],
    ["0 0 * NOV-JAN MON#1", ["2026-01-05 00:00", "2026-11-02 00:00", "2026-12-07 00:00"]],
    ["0 0 L * *", ["2026-01-31 00:00", "2026-02-28 00:00", "2026-03-31 00:00"]],
    ["0 0 L-2,lw * ?", ["2026-01-29 00:00", "2026-01-30 00:00", "2026-02-26 00:00"]],
    ["0 0 1w,31W * *", ["2026-01-30 00:00", "2026-02-02 00:00", "2026-03-02 00:00"]],
    ["0 0 ? * 5l", ["2026-01-30 00:00", "2026-02-27 00:00", "2026-03-27 00:00"]],
    ["0 0 * * fri#5", ["2026-01-30 00:00", "2026-05-29 00:00", "2026-07-31 00:00"]],
    ["0 0 * * 6-1", ["2026-01-03 00:00", "2026-01-04 00:00", "2026-01-05 00:00"]],
    ["0 0 * * 7", ["2026-01-04 00:00", "2026-01-11 00:00", "2026-01-18 00:00"]],
    ["0 0 29 2 *", ["2028-02-29 00:00", "2032-02-29 00:00", "2036-02-29 00:00"]],
    ["  0\t0  1 1  * ", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]],
    ["@hourly", ["2026-01-01 01:00", "2026-01-01 02:00", "2026-01-01 03:00"]],
    ["@daily", ["2026-01-02 00:00", "2026-01-03 00:00", "2026-01-04 00:00"]],
    ["@midnight", ["2026-01-02 00:00", "2026-01-03 00:00", "2026-01-04 00:00"]],
    ["@Weekly", ["2026-01-04 00:00", "2026-01-11 00:00", "2026-01-18 00:00"]],
    ["@monthly", ["2026-02-01 00:00", "2026-03-01 00:00", "2026-04-01 00:00"]],
    ["@yearly", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]],
    ["@annually", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]]
  ])("%s", (expression, expected) => {
    assert.deepStrictEqual(ticks(expression, newYear), expected)
  })

  it("has seconds first in six fields", () => {
    assert.deepStrictEqual(localTicks(cadenceOf("*/20 59 23 * * *"), newYear, 4), [
      "2026-01-01T23:59:00+00:00",
      "2026-01-01T23:59:20+00:00",
      "2026-01-01T23:59:40+00:00",
      "2026-01-02T23:59:00+00:00"
    ])
  })

  it("matches either of day-of-month and day-of-week, if both restrict", () => {
    assert.deepStrictEqual(ticks("0 0 13 * FRI", newYear, 4), [
      "2026-01-02 00:00",
      "2026-01-09 00:00",
      "2026-01-13 00:00",
      "2026-01-16 00:00"
    ])
    assert.deepStrictEqual(ticks("0 0 */2 * MON", newYear, 3), [
      "2026-01-03 00:00",
      "2026-01-05 00:00",
      "2026-01-07 00:00"
    ])
    assert.deepStrictEqual(ticks("0 0 1-31 * FRI", newYear, 2), ["2026-01-02 00:00", "2026-01-03 00:00"])
    assert.deepStrictEqual(ticks("0 0 13 * SUN-SAT", newYear, 2), ["2026-01-02 00:00", "2026-01-03 00:00"])
    assert.deepStrictEqual(ticks("0 0 ? * FRI", newYear, 2), ["2026-01-02 00:00", "2026-01-09 00:00"])
    assert.deepStrictEqual(ticks("0 0 13 * *,1", newYear, 2), ["2026-01-13 00:00", "2026-02-13 00:00"])
    assert.deepStrictEqual(ticks("0 0 30 2 MON", newYear, 2), ["2026-02-02 00:00", "2026-02-09 00:00"])
  })

  it("ends with the years it computes", () => {
    const cadence = cadenceOf("0 0 29 2 *")
    assert.isNull(cadence.next(time("2196-02-29T00:00:00Z")))
    assert.isNull(cadence.next(time("9999-01-01T00:00:00Z")))
    assert.isNull(cadence.prev(time("2000-02-29T00:00:00Z")))
    assert.isNull(cadence.prev(time("1950-01-01T00:00:00Z")))
    assert.strictEqual(cadence.next(time("0001-01-01T00:00:00Z")), time("2000-02-29T00:00:00Z"))
    assert.strictEqual(cadence.prev(time("9999-01-01T00:00:00Z")), time("2196-02-29T00:00:00Z"))
  })

  it("computes whole years in UTC, where local time has another year", () => {
    const [west, east] = [cadenceOf("0 14 31 12 *", "Pacific/Pago_Pago"), cadenceOf("0 1 1 1 *", "Pacific/Kiritimati")]
    assert.strictEqual(west.prev(time("2000-06-01T00:00:00Z")), time("2000-01-01T01:00:00Z"))
    assert.strictEqual(east.next(time("2199-06-01T00:00:00Z")), time("2199-12-31T11:00:00Z"))
  })

  it("compares microseconds", () => {
    const cadence = cadenceOf("@daily")
    assert.strictEqual(cadence.next(time("2026-01-01T23:59:59.999999Z")), time("2026-01-02T00:00:00Z"))
    assert.strictEqual(cadence.next(time("2026-01-02T00:00:00.000001Z")), time("2026-01-03T00:00:00Z"))
    assert.strictEqual(cadence.prev(time("2026-01-02T00:00:00.000001Z")), time("2026-01-02T00:00:00Z"))
    assert.strictEqual(cadence.prev(time("2026-01-02T00:00:00Z")), time("2026-01-01T00:00:00Z"))
  })

  it("computes ticks one by one, in both directions", () => {
    const cadence = cadenceOf("0 */6 * * *")
    const all = ["2026-01-01T06:00:00Z", "2026-01-01T12:00:00Z", "2026-01-01T18:00:00Z"].map(time)
    assert.deepStrictEqual([...cadence.ticksBetween(time(newYear), time("2026-01-01T18:00:00Z"))], all)
    assert.deepStrictEqual([...cadence.ticksBackwards(time("2026-01-01T18:00:00Z"), time(newYear))], all.toReversed())
    const [first] = cadenceOf("* * * * * *").ticksBackwards(time("2199-12-31T00:00:00Z"), time(newYear))
    assert.strictEqual(first, time("2199-12-31T00:00:00Z"))
  })
})

describe("interval", () => {
  const anchor = time("2026-10-24T22:00:10.500000Z")

  it.each([
    ["30", 30],
    ["30.0", 30],
    ["90s", 90],
    ["5m", 300],
    ["1h30m", 5400],
    ["2d", 172_800],
    ["1w", 604_800],
    ["PT5M", 300],
    ["P1DT12H", 129_600],
    ["p2w", 1_209_600],
    ["3650d", 315_360_000]
  ])("%s is %d seconds", (expression, seconds) => {
    const cadence = cadenceOf(expression, "UTC", { kind: "interval", anchor: time("2026-01-01T00:00:00Z") })
    assert.strictEqual(Date.parse(cadence.next(time(newYear)) ?? ""), Date.parse(newYear) + seconds * 1000)
  })

  it("counts elapsed time from the second of its anchor, the first tick one interval later", () => {
    const cadence = cadenceOf("2h", "Europe/Berlin", { kind: "interval", anchor })
    assert.deepStrictEqual(localTicks(cadence, "2000-01-01T00:00:00Z", 3), [
      "2026-10-25T02:00:10+02:00",
      "2026-10-25T03:00:10+01:00",
      "2026-10-25T05:00:10+01:00"
    ])
    assert.isNull(cadence.prev(time("2026-10-25T00:00:10Z")))
    assert.strictEqual(cadence.prev(time("2026-10-25T00:00:10.000001Z")), time("2026-10-25T00:00:10Z"))
  })

  it("is counted from 1970 without an anchor", () => {
    const cadence = cadenceOf("15m", "UTC", { kind: "interval" })
    assert.strictEqual(cadence.next(time("2026-01-01T00:14:59Z")), time("2026-01-01T00:15:00Z"))
  })
})

describe("clocked", () => {
  const clocked = (expression: string, timezone = "UTC") =>
    localTicks(cadenceOf(expression, timezone, { kind: "clocked" }), newYear, 2)

  it("ticks once", () => {
    assert.deepStrictEqual(clocked("2026-12-24T18:00:00Z"), ["2026-12-24T18:00:00+00:00"])
    assert.deepStrictEqual(clocked("2026-12-24T18:00:00+05:45", "Asia/Kathmandu"), ["2026-12-24T18:00:00+05:45"])
    assert.deepStrictEqual(clocked("2025-12-24T18:00:00Z"), [])
    const cadence = cadenceOf("2026-12-24T18:00:00Z", "UTC", { kind: "clocked" })
    assert.strictEqual(cadence.prev(time("2027-01-01T00:00:00Z")), time("2026-12-24T18:00:00Z"))
  })

  it("rounds fractions up, so that it never fires early", () => {
    assert.deepStrictEqual(clocked("2026-12-24T18:00:00.000001Z"), ["2026-12-24T18:00:01+00:00"])
  })

  it("reads a local time by the rule of fixed times", () => {
    assert.deepStrictEqual(clocked("2026-12-24 18:00", "Europe/Berlin"), ["2026-12-24T18:00:00+01:00"])
    assert.deepStrictEqual(clocked("2026-03-29T02:30", "Europe/Berlin"), ["2026-03-29T03:00:00+02:00 gap"])
    assert.deepStrictEqual(clocked("2026-10-25T02:30:15", "Europe/Berlin"), ["2026-10-25T02:30:15+02:00 overlap"])
  })
})

describe("invalid definitions", () => {
  const time = "Valid are for example 0, 10-20 or */15."
  const hours = "Valid are for example 9, 9-17 or */2."
  const days = "Valid are for example 1, 1-15, L (the last day), L-2, 15W (the weekday nearest to 15) or LW."
  const months = "Valid are for example 1, JAN, JAN-MAR or */3."
  const weekdays =
    "Valid are for example 0 to 7 (Sunday is 0 and 7), MON-FRI, 5L (the last Friday) or MON#1 (the first Monday)."
  const count = "it needs 5 (minute hour day-of-month month day-of-week) or 6 with seconds first."

  it.each([
    ["", `The expression has 0 fields; ${count} Valid is for example 30 9 * * MON-FRI.`],
    ["5", `The expression has 1 field; ${count} Valid is for example 30 9 * * MON-FRI.`],
    ["* * * *", `The expression has 4 fields; ${count} Valid is for example 30 9 * * MON-FRI.`],
    [
      "0 0 0 1 1 ? 2026",
      `The expression has 7 fields; ${count} A field for the year is not supported. Valid is for example 30 9 * * MON-FRI.`
    ],
    ["1 ".repeat(5000), "The expression has 10000 characters; at most 1024 are allowed."],
    [`${"1,".repeat(400)}60 * * * *`, `minute: 60 is outside 0 to 59. ${time}`],
    ["60 * * * *", `minute: 60 is outside 0 to 59. ${time}`],
    ["-1 * * * *", `minute: "" is not a number from 0 to 59. ${time}`],
    ["1.5 * * * *", `minute: "1.5" is not a number from 0 to 59. ${time}`],
    ["1-2-3 * * * *", `minute: "1-2-3" is not a range. ${time}`],
    ["1/2/3 * * * *", `minute: "1/2/3" has more than one step. ${time}`],
    ["1,,2 * * * *", `minute: "1,,2" has an empty item. ${time}`],
    ["? * * * *", `minute: "?" is not a number from 0 to 59. ${time}`],
    ["h * * * *", `minute: "h" is not a number from 0 to 59. ${time}`],
    ["\u0663 * * * *", `minute: "\u0663" is not a number from 0 to 59. ${time}`],
    ["*/0 * * * *", `minute: the step "0" is not a number from 1 to 59. ${time}`],
    [
      "*/90 * * * *",
      `minute: the step "90" is not a number from 1 to 59, because a step begins again with each round of the field. ${time}`
    ],
    ["1-99999999 * * * *", `minute: 99999999 is outside 0 to 59. ${time}`],
    [
      `0 ${"9".repeat(200)} * * *`,
      `hour: "${"9".repeat(40)}…" is not a number from 0 to 23. ${hours}`
    ],
    ["60 0 0 * * *", `second: 60 is outside 0 to 59. ${time}`],
    ["0 24 * * *", `hour: 24 is outside 0 to 23. ${hours}`],
    ["0 0 0 * *", `day-of-month: 0 is outside 1 to 31. ${days}`],
    ["0 0 32W * *", `day-of-month: 32 is outside 1 to 31. ${days}`],
    ["0 0 L-31 * *", `day-of-month: "L-31" does not count 1 to 30 days back from the last day. ${days}`],
    ["0 0 1-5W * *", `day-of-month: "5W" is not a number from 1 to 31. ${days}`],
    [
      "0 0 * January *",
      `month: "January" is not a number from 1 to 12 or one of JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC. ${months}`
    ],
    ["0 0 * * 8", `day-of-week: 8 is outside 0 to 7. ${weekdays}`],
    ["0 0 * * L", `day-of-week: "L" lacks its weekday. ${weekdays}`],
    ["0 0 * * 1#6", `day-of-week: "1#6" needs 1 to 5 after #. ${weekdays}`],
    [
      "@reboot",
      "@reboot names no time, and svc does not know when a machine starts. Valid are for example @hourly or @daily."
    ],
    [
      "@every 5m",
      "@every is not a cron expression. Create a schedule of the kind interval, such as 300, 5m or PT5M."
    ],
    [
      "@noon",
      "\"@noon\" is not a known nickname. Valid are @hourly @daily @midnight @weekly @monthly @yearly @annually."
    ]
  ])("cron %#", (expression, message) => {
    assert.strictEqual(refusalOf(expression), `expression: ${message}`)
  })

  it.each(["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 30W 2 ?", "0 0 L-29 FEB *"])("no date: %s", (expression) => {
    assert.match(refusalOf(expression) ?? "", /^expression: day-of-month: none of the given months has such a day/)
  })

  const intervals = "Valid are for example 30 (seconds), 30.0, 5m, 1h30m or PT5M."
  it.each([
    ["", `"" is not the length of an interval. ${intervals}`],
    ["five", `"five" is not the length of an interval. ${intervals}`],
    ["-5", `"-5" is not the length of an interval. ${intervals}`],
    ["1e3", `"1e3" is not the length of an interval. ${intervals}`],
    ["P1M", `"P1M" is not the length of an interval. ${intervals}`],
    ["PT", `"PT" is not the length of an interval. ${intervals}`],
    ["9".repeat(10_000), `"${"9".repeat(40)}…" is not the length of an interval. ${intervals}`],
    ["0", `The shortest interval is 1 second. ${intervals}`],
    ["1.5", `An interval is a whole number of seconds. ${intervals}`],
    ["3651d", `The longest interval is 3650 days. ${intervals}`]
  ])("interval %#", (expression, message) => {
    assert.strictEqual(refusalOf(expression, "interval"), `expression: ${message}`)
  })

  const instants =
    "Valid are for example 2026-12-24T18:00:00Z, 2026-12-24T18:00:00+01:00 or, in the schedule's time zone, 2026-12-24T18:00."
  it.each([
    ["tomorrow", "UTC", `"tomorrow" is not an ISO date and time. ${instants}`],
    ["2026-02-30T00:00:00Z", "UTC", `"2026-02-30T00:00:00Z" is not an ISO date and time. ${instants}`],
    ["1999-01-01T00:00:00Z", "UTC", `The year must be 2000 to 2199. ${instants}`],
    ["2200-01-01T00:00:00Z", "UTC", `The year must be 2000 to 2199. ${instants}`],
    [
      "2011-12-30T12:00",
      "Pacific/Apia",
      `"2011-12-30T12:00" does not exist in the schedule's time zone. ${instants}`
    ]
  ])("clocked %s in %s", (expression, zone, message) => {
    assert.strictEqual(refusalOf(expression, "clocked", zone), `expression: ${message}`)
  })

  it.each(["Mars/Phobos", "", "+01:00", "Europe/Berlin ", "x".repeat(10_000), "Europe/Berlin\n"])("zone %#", (zone) => {
    assert.match(
      refusalOf("@daily", "cron", zone) ?? "",
      /^timezone: ".*" is not a known time zone. Valid are the names/
    )
  })

  it("names kinds that only other schedulers fire", () => {
    assert.strictEqual(
      refusalOf("sunrise", "solar"),
      "kind: \"solar\" is not a kind that svc fires. Valid are cron, interval and clocked."
    )
  })

  it("is a failure of validation with the definition's member as its path", () => {
    const compiled = compile({ kind: "cron", expression: "x", timezone: "UTC" })
    assert.deepInclude(Either.isLeft(compiled) ? compiled.left.issues[0] : {}, { path: "expression" })
  })
})
