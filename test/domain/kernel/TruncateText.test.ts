import { assert, describe, it } from "@effect/vitest"
import { parseRetryAfter } from "../../../src/domain/kernel/RetryAfter.ts"
import { countBytes, countCharacters, countJsonBytes, truncateText } from "../../../src/domain/kernel/TruncateText.ts"

describe("truncated texts", () => {
  it("stay whole at the limit, and end with … one over", () => {
    assert.strictEqual(truncateText("abcde", 5), "abcde")
    assert.strictEqual(truncateText("abcdef", 5), "abcd…")
    assert.strictEqual(truncateText("", 0), "")
    assert.strictEqual(truncateText("ab", 0), "")
    assert.strictEqual(truncateText("ab", 1), "…")
  })

  it("count a surrogate pair once, and never take one apart", () => {
    const faces = "😀".repeat(10)
    assert.strictEqual(truncateText(faces, 10), faces)
    assert.strictEqual(truncateText(faces, 9), "😀".repeat(8) + "…")
    for (let limit = 0; limit < 40; limit++) {
      const truncated = truncateText(faces, limit, countBytes)
      assert.isTrue(truncated.isWellFormed())
      assert.isAtMost(countBytes(truncated), limit)
    }
  })

  it("keep combining marks with their letter, and an emoji family together", () => {
    const letter = "e\u0301" // é of two code points
    assert.strictEqual(truncateText(letter.repeat(5), 10), letter.repeat(5))
    assert.strictEqual(truncateText(letter.repeat(5), 9), letter.repeat(4) + "…")
    assert.strictEqual(truncateText(letter.repeat(5), 8), letter.repeat(3) + "…")
    const family = "👨‍👩‍👧"
    assert.strictEqual(truncateText(`${family}${family}`, 6), `${family}…`)
  })

  it("split a single character of more marks than the limit between its code points", () => {
    const truncated = truncateText("e" + "\u0301".repeat(1000), 100)
    assert.strictEqual(countCharacters(truncated), 100)
    assert.isTrue(truncated.endsWith("…"))
  })

  it("count the escapes of JSON", () => {
    const quotes = "\"".repeat(10)
    assert.strictEqual(truncateText(quotes, 20, countJsonBytes), quotes)
    assert.strictEqual(truncateText(quotes, 19, countJsonBytes), "\"".repeat(8) + "…")
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
