import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { matchesGlob } from "node:path"
import { fast, fullOnly } from "./lanes.ts"

const files = readdirSync(new URL(".", import.meta.url), { recursive: true }).map((file) => `test/${String(file)}`)
  .filter((file) => file.endsWith(".test.ts"))

describe("the lanes of the tests", () => {
  it("each test file is in one", () => {
    const patterns = [...fast, ...fullOnly]
    const misplaced = files.filter((file) => !patterns.some((pattern) => matchesGlob(file, pattern)))
    assert.deepStrictEqual(misplaced, [])
  })
})
