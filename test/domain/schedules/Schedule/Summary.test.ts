import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { languages } from "../../../../src/domain/kernel/Language.ts"
import { summarize } from "../../../../src/domain/schedules/Schedule/Summary.ts"
import { runs } from "../../../properties.ts"

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
    assert.strictEqual(summarize({ kind: "cron", expression }, "en"), words)
  })

  it.each([
    ["30.0", "Every 30 seconds"],
    ["60", "Every minute"],
    ["PT1H30M", "Every 1 hour and 30 minutes"],
    ["90061", "Every 1 day, 1 hour, 1 minute and 1 second"],
    ["2w", "Every 2 weeks"]
  ])("every %s", (expression, words) => {
    assert.strictEqual(summarize({ kind: "interval", expression }, "en"), words)
  })

  it("has one instant for clocked schedules", () => {
    const expression = "2026-12-24T18:00Z"
    assert.strictEqual(summarize({ kind: "clocked", expression }, "en"), "Once, at 2026-12-24T18:00Z")
  })

  it("has no words for what it cannot read", () => {
    assert.isNull(summarize({ kind: "cron", expression: "0 0 30 2" }, "en"))
    assert.isNull(summarize({ kind: "interval", expression: "often" }, "en"))
    assert.isNull(summarize({ kind: "solar", expression: "sunrise" }, "en"))
  })

  it.each(
    [
      ["de", "cron", "0 8 * * MON-FRI", "Um 08:00, am Montag bis Freitag"],
      ["de", "cron", "5,35 * * * *", "Zu den Minuten 5 und 35 jeder Stunde"],
      [
        "de",
        "cron",
        "0 0 L-3,7 * 5L",
        "Um 00:00, am 7. und 3. Tag vor dem letzten Tag des Monats oder am letzten Freitag des Monats"
      ],
      ["de", "interval", "5400", "Alle 1 Stunde und 30 Minuten"],
      ["es", "cron", "0 0 1,15 JAN *", "A las 00:00, los días 1 y 15 del mes, en enero"],
      ["es", "cron", "0 0 * * 1#2", "A las 00:00, en el segundo lunes del mes"],
      ["fr", "cron", "*/15 9-17 * * *", "Toutes les 15 minutes, de 09:00 à 17:59"],
      ["fr", "interval", "2d", "Tous les 2 jours"],
      ["ja", "cron", "0 8 * * MON-FRI", "08:00、月曜日～金曜日"],
      ["ja", "cron", "0 0 15W * *", "00:00、毎月15日に最も近い平日"],
      ["ja", "interval", "90m", "1時間、30分ごと"]
    ] as const
  )("%s, %s: %s", (language, kind, expression, words) => {
    assert.strictEqual(summarize({ kind, expression }, language), words)
  })

  it("says the same numbers in each language, whatever a field has", () => {
    const number = (min: number, max: number) => fc.integer({ min, max }).map(String)
    const item = (min: number, max: number, others: ReadonlyArray<string> = []) =>
      fc.oneof(
        number(min, max),
        fc.tuple(number(min, max), number(min, max)).map(([from, to]) => `${from}-${to}`),
        fc.tuple(fc.constantFrom("*", `${min}-${max}`), number(1, max)).map(([range, step]) => `${range}/${step}`),
        fc.constantFrom("*", ...others)
      )
    const field = (min: number, max: number, others?: ReadonlyArray<string>) =>
      fc.array(item(min, max, others), { minLength: 1, maxLength: 3 }).map((items) => items.join(","))
    const cron = fc.tuple(
      fc.oneof(fc.constant("0"), field(0, 59)),
      field(0, 59),
      field(0, 23),
      field(1, 31, ["L", "LW", "L-3", "15W"]),
      field(1, 12, ["JAN", "OCT-MAR"]),
      field(0, 7, ["MON-FRI", "FRI#2", "5L", "SUN"])
    ).map((fields) => fields.join(" "))
    const interval = fc.integer({ min: 1, max: 315_360_000 }).map(String)
    const cadence = fc.oneof(
      fc.record({ kind: fc.constant("cron"), expression: cron }),
      fc.record({ kind: fc.constant("interval"), expression: interval })
    )
    fc.assert(
      fc.property(cadence, (cadence) => {
        const said = languages.map((language) => summarize(cadence, language))
        const isValid = said[0] !== null
        for (const words of said) {
          assert.strictEqual(words !== null, isValid)
          assert.notMatch(words ?? "", /undefined|NaN|null| {2}|, ,|^\s|\s$/)
        }
        const [english, ...others] = said.slice(0, -1).map((words) => words?.match(/\d+/g)) // Japanese counts months too
        for (const other of others) assert.deepStrictEqual(other, english)
      }),
      { numRuns: runs(500) }
    )
  })
})
