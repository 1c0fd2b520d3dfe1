import { assert, describe, it } from "@effect/vitest"
import { formatDuration } from "../../../src/domain/kernel/Duration.ts"

describe("durations in sentences", () => {
  it("have their two largest units", () => {
    const texts = { 0: "0 s", 45: "45 s", 90: "1 min 30 s", 3600: "1 h", 86_400: "1 d", 190_000: "2 d 4 h" }
    for (const [seconds, text] of Object.entries(texts)) assert.strictEqual(formatDuration(Number(seconds)), text)
  })
})
