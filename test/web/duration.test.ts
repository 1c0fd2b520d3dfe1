import { assert, describe, it } from "@effect/vitest"
import { createFormat } from "../../web/src/format/createFormat.ts"
import { formatDuration, parseDuration } from "../../web/src/format/duration.ts"

describe("durations as people type them", () => {
  it("are read with units, several units, and a fraction", () => {
    const seconds = (text: string) => parseDuration(text, 1_000)
    assert.strictEqual(seconds("15 min"), 900_000)
    assert.strictEqual(seconds("4h"), 14_400_000)
    assert.strictEqual(seconds("1h 30m"), 5_400_000)
    assert.strictEqual(seconds("1,5 h"), 5_400_000)
    assert.strictEqual(seconds(" 2 Days "), 172_800_000)
    assert.strictEqual(seconds("250ms"), 250)
  })

  it("are a number of the field's unit without one", () => {
    assert.strictEqual(parseDuration("90", 1_000), 90_000)
    assert.strictEqual(parseDuration("15", 60_000), 900_000)
    assert.strictEqual(parseDuration("0", 1_000), 0)
  })

  it("are refused with other words", () => {
    for (const text of ["", "soon", "-5 min", "5 parsecs", "min", "5 min ago", "1:30"]) {
      assert.isNull(parseDuration(text, 1_000), text)
    }
  })

  it("are shown as they are read", () => {
    for (
      const [millis, text] of [[0, "0 s"], [90_000, "1 min 30 s"], [14_400_000, "4 h"], [604_800_000, "7 d"]] as const
    ) {
      assert.strictEqual(formatDuration(millis), text)
      assert.strictEqual(parseDuration(text, 1), millis)
    }
  })
})

describe("durations to read", () => {
  const texts = [
    [0, "0 s", "0 s", "0秒"],
    [0.4, "0.4 ms", "0,4 ms", "0.4ミリ秒"],
    [250, "250 ms", "250 ms", "250ミリ秒"],
    [4_123, "4.12 s", "4,12 s", "4.12秒"],
    [59_940, "59.9 s", "59,9 s", "59.9秒"],
    [900_000, "15 min", "15 min", "15分"],
    [5_400_000, "1 h 30 min", "1 h 30 min", "1時間30分"],
    [14_400_000, "4 h", "4 h", "4時間"],
    [2 * 86_400_000 + 59_000, "2 d", "2 d", "2日"]
  ] as const

  it("have units as people type them, and at most the two largest", () => {
    for (const [millis, english, german, japaneseText] of texts) {
      const write = (language: string) => createFormat(language, "UTC").duration(millis).replaceAll("\u00a0", " ")
      assert.deepStrictEqual(["en-GB", "de", "ja"].map(write), [english, german, japaneseText])
    }
  })
})
