import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { execFileSync } from "node:child_process"
import { compileGlob } from "../../../src/domain/kernel/Glob.ts"

const fnmatch = (pairs: ReadonlyArray<readonly [text: string, pattern: string]>): ReadonlyArray<boolean> =>
  JSON.parse(execFileSync("python3", [
    "-c",
    "import fnmatch, json, sys; print(json.dumps([fnmatch.fnmatchcase(t, p) for t, p in json.load(sys.stdin)]))"
  ], { input: JSON.stringify(pairs), encoding: "utf8" }))

/** Few characters, so that generated texts and patterns often meet. */
const characters = (alphabet: ReadonlyArray<string>, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((parts) => parts.join(""))

describe("compileGlob", () => {
  it("matches what Python's fnmatch.fnmatchcase matches", () => {
    const pattern = characters([..."aabc.-^!]\\&~|\n*?😀", "[", "[", "[!", "[a-c]", "[]", "*"], 9)
    const text = characters([..."aabbc.-^!][\\&~|\n😀A"], 7)
    const pairs = fc.sample(fc.tuple(text, pattern), { numRuns: 20_000, seed: 12 })
    const expected = fnmatch(pairs)
    const own = pairs.map(([text, pattern]) => compileGlob(pattern)(text))
    assert.deepStrictEqual(
      pairs.filter((_, index) => own[index] !== expected[index]),
      []
    )
    assert.isAbove(own.filter((matches) => matches).length, 500)
  })

  it("takes no time for a pattern that would make a regular expression backtrack", () => {
    assert.isFalse(compileGlob("*a".repeat(100) + "b")("a".repeat(500)))
    assert.isTrue(compileGlob("*a".repeat(100))("a".repeat(500)))
  })
})
