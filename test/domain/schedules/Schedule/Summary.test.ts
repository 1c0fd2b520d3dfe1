import { assert, describe, it } from "@effect/vitest"
import { summarize } from "../../../../src/domain/schedules/Schedule/Summary.ts"

describe("summarize", () => {
  it.each([
    ["30 9 * * MON-FRI", "At 09:30, on Monday through Friday"],
    ["0 9,17 * * *", "At 09:00 and 17:00 every day"],
    ["30 5 4 * * *", "At 04:05:30 every day"],
    ["* * * * *", "Every minute"],
    ["* * * * * *", "Every second"],
    ["*/10 * * * * *", "Every 10 seconds"],
    ["*/5 * * * *", "Every 5 minutes"],
    ["@hourly", "Every hour"],
    ["0 */2 * * *", "Every 2 hours"],
    ["5 * * * *", "At minute 5 of every hour"],
    ["*/7 * * * *", "At minutes 0 through 56 in steps of 7 of every hour"],
    ["*/15 9-17 * * 1-5", "Every 15 minutes, between 09:00 and 17:59, on Monday through Friday"],
    ["0 22-2 * * *", "At minute 0, in the hours 0 through 2, 22 and 23"],
    ["*/20 * 2 * * *", "Every 20 seconds, between 02:00 and 02:59"],
    ["@weekly", "At 00:00, on Sunday"],
    ["@yearly", "At 00:00, on day 1 of the month, in January"],
    ["0 0 L-3,7 * *", "At 00:00, on day 7 and 3 days before the last day of the month"],
    [
      "0 0 1W,LW,L-1 * *",
      "At 00:00, on the weekday nearest to day 1, 1 day before the last day and the last weekday " +
      "(Monday to Friday) of the month"
    ],
    ["0 0 13 * FRI", "At 00:00, on day 13 of the month or on Friday"],
    ["0 0 1-31 * FRI", "At 00:00, on days 1 through 31 of the month or on Friday"],
    ["0 0 * * 2,5L,1#1", "At 00:00, on Tuesday, the first Monday of the month and the last Friday of the month"],
    ["0 0 * * FRI-MON", "At 00:00, on Monday and Friday through Sunday"],
    ["0 0 1 NOV-JAN *", "At 00:00, on day 1 of the month, in January, November and December"]
  ])("%s", (expression, words) => {
    assert.strictEqual(summarize({ kind: "cron", expression }), words)
  })

  it.each([
    ["30.0", "Every 30 seconds"],
    ["60", "Every minute"],
    ["PT1H30M", "Every 1 hour and 30 minutes"],
    ["90061", "Every 1 day, 1 hour, 1 minute and 1 second"],
    ["2w", "Every 2 weeks"]
  ])("every %s", (expression, words) => {
    assert.strictEqual(summarize({ kind: "interval", expression }), words)
  })

  it("has one instant for clocked schedules", () => {
    assert.strictEqual(summarize({ kind: "clocked", expression: "2026-12-24T18:00Z" }), "Once, at 2026-12-24T18:00Z")
  })

  it("leaves what it cannot read as it is", () => {
    assert.strictEqual(summarize({ kind: "cron", expression: "0 0 30 2" }), "0 0 30 2")
    assert.strictEqual(summarize({ kind: "interval", expression: "often" }), "often")
    assert.strictEqual(summarize({ kind: "solar", expression: "sunrise" }), "sunrise")
  })
})
