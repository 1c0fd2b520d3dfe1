import { assert, describe, it } from "@effect/vitest"
import { countBytes, countCharacters, countJsonBytes, cutText } from "../../../src/domain/kernel/CutText.ts"
import { parseRetryAfter } from "../../../src/domain/kernel/RetryAfter.ts"

describe("texts that are cut", () => {
  it("stay whole at the limit, and end with … one over", () => {
    assert.strictEqual(cutText("abcde", 5), "abcde")
    assert.strictEqual(cutText("abcdef", 5), "abcd…")
    assert.strictEqual(cutText("", 0), "")
    assert.strictEqual(cutText("ab", 0), "")
    assert.strictEqual(cutText("ab", 1), "…")
  })

  it("count a surrogate pair once, and never take one apart", () => {
    const faces = "😀".repeat(10)
    assert.strictEqual(cutText(faces, 10), faces)
    assert.strictEqual(cutText(faces, 9), "😀".repeat(8) + "…")
    for (let limit = 0; limit < 40; limit++) {
      const cut = cutText(faces, limit, countBytes)
      assert.isTrue(cut.isWellFormed())
      assert.isAtMost(countBytes(cut), limit)
    }
  })

  it("keep combining marks with their letter, and an emoji family together", () => {
    const letter = "e\u0301" // é of two code points
    assert.strictEqual(cutText(letter.repeat(5), 10), letter.repeat(5))
    assert.strictEqual(cutText(letter.repeat(5), 9), letter.repeat(4) + "…")
    assert.strictEqual(cutText(letter.repeat(5), 8), letter.repeat(3) + "…")
    const family = "👨‍👩‍👧"
    assert.strictEqual(cutText(`${family}${family}`, 6), `${family}…`)
  })

  it("cut a single character of more marks than the limit between its code points", () => {
    const cut = cutText("e" + "\u0301".repeat(1000), 100)
    assert.strictEqual(countCharacters(cut), 100)
    assert.isTrue(cut.endsWith("…"))
  })

  it("count the escapes of JSON", () => {
    const quotes = "\"".repeat(10)
    assert.strictEqual(cutText(quotes, 20, countJsonBytes), quotes)
    assert.strictEqual(cutText(quotes, 19, countJsonBytes), "\"".repeat(8) + "…")
  })
})

describe("Retry-After", () => {
  it("is a number of seconds or a date, and never more than a day", () => {
    const now = Date.parse("2026-11-23T10:00:00Z")
    assert.strictEqual(parseRetryAfter("30", now), 30)
    assert.strictEqual(parseRetryAfter("1.5", now), 1.5)
    assert.strictEqual(parseRetryAfter("Mon, 23 Nov 2026 10:00:30 GMT", now), 30)
    assert.strictEqual(parseRetryAfter("Mon, 23 Nov 2026 09:00:00 GMT", now), 0)
    assert.strictEqual(parseRetryAfter("999999999", now), 86_400)
    for (const other of [undefined, "", "soon", "-5", "1e9", "2026-11-23"]) assert.isNull(parseRetryAfter(other, now))
  })
})
