import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { text } from "../../../src/domain/kernel/Text.ts"

it("a text is as long as its characters are many, whatever they take in memory", () => {
  const takes = Schema.is(text(3, 2))
  for (const text of ["ab", "abc", "💩💩", "💩💩💩"]) assert.isTrue(takes(text), text)
  for (const text of ["", "a", "💩", "abcd", "💩💩💩💩"]) assert.isFalse(takes(text), text)
})

it("a text without a least length may be empty", () => {
  assert.isTrue(Schema.is(text(3))(""))
})
