import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { text } from "../../../src/domain/kernel/Text.ts"

it("a text is as long as its characters are many, whatever they take in memory", () => {
  const takes = Schema.is(text(3, 2))
  for (const given of ["ab", "abc", "💩💩", "💩💩💩"]) assert.isTrue(takes(given), given)
  for (const given of ["", "a", "💩", "abcd", "💩💩💩💩"]) assert.isFalse(takes(given), given)
})

it("a text without a least length may be empty", () => {
  assert.isTrue(Schema.is(text(3))(""))
})
