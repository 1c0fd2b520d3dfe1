import { assert, describe, it } from "@effect/vitest"
import { de } from "../../web/src/i18n/de.ts"
import { en } from "../../web/src/i18n/en.ts"
import { fr } from "../../web/src/i18n/fr.ts"
import { ja } from "../../web/src/i18n/ja.ts"
import { describeCadence, readInterval } from "../../web/src/schedules/words.ts"

const english = { texts: en.schedules.words, language: "en" }
const inWords = (expression: string, kind = "cron", wording: Parameters<typeof describeCadence>[0] = english) =>
  describeCadence(wording, { kind, expression })

describe("the words of a cadence", () => {
  it.each([
    ["30 9 * * MON-FRI", "At 09:30, on Monday to Friday"],
    ["*/15 9-17 * * *", "Every 15 minutes, from 09:00 to 17:59"],
    ["0 0 L * *", "At 00:00, on the last day of the month"],
    ["@daily", "At 00:00 every day"],
    ["* * * * *", "Every minute"],
    ["0 * * * *", "Every hour"],
    ["0 */6 * * *", "At 00:00, 06:00, 12:00, and 18:00 every day"],
    ["0 */2 * * *", "Every 2 hours"],
    ["5,35 * * * *", "At minute 5 and 35 of every hour"],
    ["*/7 * * * *", "At minute 0, 7, 14, 21, 28, 35, 42, 49, and 56 of every hour"],
    ["0 0 13 * FRI", "At 00:00, on day 13 of the month or on Friday"],
    ["0 6 1-3,15 JAN,FEB ?", "At 06:00, on day 1 to 3 and 15 of the month, in January and February"],
    ["0 0 * * 6-7", "At 00:00, on Saturday and Sunday"],
    ["0 0 * * FRI-MON", "At 00:00, on Monday and Friday to Sunday"],
    ["0 0 * * 0-7", "At 00:00, on Monday to Sunday"],
    ["0 22-2 * * *", "At minute 0, in the hours 0 to 2, 22, and 23"],
    ["0 30 2 * * *", "At 02:30 every day"],
    ["*/10 * * * * *", "Every 10 seconds"]
  ])("says of %s: %s", (expression, words) => assert.strictEqual(inWords(expression), words))

  it.each(["15W * * * *", "0 0 15W * *", "0 0 * * 5L", "0 0 * * MON#1", "30 0 9 * * *", "0 0 * *", "61 * * * *", "x"])(
    "leaves %s to the API",
    (expression) => assert.isNull(inWords(expression))
  )

  it.each([
    ["30", "Every 30 seconds"],
    ["30.0", "Every 30 seconds"],
    ["5m", "Every 5 minutes"],
    ["PT5M", "Every 5 minutes"],
    ["3600.0", "Every hour"],
    ["24h", "Every 24 hours"],
    ["1h30m", "Every 90 minutes"],
    ["1d6h", "Every 30 hours"],
    ["7261", "Every 2h 1m 1s"]
  ])("says of the interval %s: %s", (expression, words) => assert.strictEqual(inWords(expression, "interval"), words))

  it("reads the lengths that the API reads, and no others", () => {
    assert.strictEqual(readInterval("1w2d"), 777_600)
    for (const text of ["", "P", "0", "5 minutes", "P1M", "-3"]) assert.isNull(readInterval(text), text)
  })

  it("has the words of each language, and none for kinds that only another scheduler knows", () => {
    const say = (texts: typeof en, language: string) =>
      inWords("0 8 * * MON-FRI", "cron", { texts: texts.schedules.words, language })
    assert.strictEqual(say(de, "de"), "Um 08:00, am Montag bis Freitag")
    assert.strictEqual(say(fr, "fr"), "À 08:00, le lundi à vendredi")
    assert.strictEqual(say(ja, "ja"), "08:00、月曜日～金曜日")
    assert.strictEqual(inWords("2026-12-24T18:00", "clocked"), "Once, at 2026-12-24T18:00")
    assert.isNull(inWords("sunrise", "solar"))
  })
})
