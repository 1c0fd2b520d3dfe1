import { assert, describe, it } from "@effect/vitest"
import { generateSync } from "otplib"
import { findTimeStep, newRecoveryCodes, newTotpSecret } from "../../../src/services/identity/Mfa/Codes.ts"

describe("codes of authenticator apps", () => {
  const { secret, url } = newTotpSecret("ann+svc@example.com")
  const epoch = 1_800_000_000 // the first second of a step
  const step = epoch / 30

  it("are of this half minute, the one before or the one after", () => {
    for (const [away, found] of [[-2, null], [-1, step - 1], [0, step], [1, step + 1], [2, null]] as const) {
      const code = generateSync({ secret, epoch: epoch + away * 30 })
      assert.strictEqual(findTimeStep(secret, code, epoch * 1000), found, `${away} half minutes away`)
      assert.strictEqual(
        findTimeStep(secret, code, epoch * 1000 + 29_999),
        found,
        `${away} half minutes away, at the end of the step`
      )
    }
  })

  it("are those of RFC 6238, appendix B", () => {
    const rfc = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" // 12345678901234567890
    assert.strictEqual(findTimeStep(rfc, "287082", 59_000), 1)
    assert.strictEqual(findTimeStep(rfc, "081804", 1_111_111_109_000), 37_037_036)
    assert.strictEqual(findTimeStep(rfc, "005924", 1_234_567_890_000), 41_152_263)
  })

  it("are six digits and nothing else", () => {
    for (const code of ["", "12345", "1234567", "12345a", "１２３４５６", " 12345", "-12345"]) {
      assert.isNull(findTimeStep(secret, code, epoch * 1000), code)
    }
  })

  it("come from 20 random bytes, in a URL that apps read", () => {
    assert.match(secret, /^[A-Z2-7]{32}$/)
    assert.notStrictEqual(newTotpSecret("ann@example.com").secret, secret)
    assert.strictEqual(new URL(url).protocol, "otpauth:")
    assert.include(url, "svc:ann%2Bsvc%40example.com")
    assert.strictEqual(new URL(url).searchParams.get("secret"), secret)
    assert.strictEqual(new URL(url).searchParams.get("issuer"), "svc")
  })
})

describe("recovery codes", () => {
  it("are ten, all different, and no code of an app", () => {
    const codes = newRecoveryCodes()
    assert.lengthOf(codes, 10)
    assert.strictEqual(new Set([...codes, ...newRecoveryCodes()]).size, 20)
    for (const code of codes) assert.match(code, /^[2-9a-km-zA-HJ-NP-Z]{20}$/)
  })
})
