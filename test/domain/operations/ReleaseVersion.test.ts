import { assert, describe, it } from "@effect/vitest"
import { compareVersions, isVersion } from "../../../src/domain/operations/ReleaseVersion.ts"

/** In semver's order; those of section 11 of its specification among them. */
const inOrder = [
  "0.0.9",
  "0.1.0-rc.1",
  "0.1.0",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.2.0",
  "1.10.0",
  "10.0.0"
]

describe("release versions", () => {
  it("have semver's order", () => {
    for (const [left, one] of inOrder.entries()) {
      assert.isTrue(isVersion(one))
      for (const [right, other] of inOrder.entries()) {
        assert.strictEqual(Math.sign(compareVersions(one, other)), Math.sign(left - right), `${one} ${other}`)
      }
    }
  })

  it("are nothing else", () => {
    for (const text of ["1", "1.2", "01.2.3", "1.2.3;", "1.2.3 ", "v1.2.3", "1.2.3-", "latest", "", null, 1]) {
      assert.isFalse(isVersion(text), String(text))
    }
  })
})
