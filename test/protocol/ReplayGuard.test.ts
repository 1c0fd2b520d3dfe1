import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ReplayGuard } from "../../src/protocol/ReplayGuard.ts"

const NOW = 1_795_243_586_000

describe("ReplayGuard", () => {
  it("takes 60 seconds of skew either way and no millisecond more", () => {
    const guard = new ReplayGuard()
    assert.isUndefined(guard.accept(1, "a", NOW - 60_000, NOW))
    assert.isUndefined(guard.accept(2, "b", NOW + 60_000, NOW))
    assert.strictEqual(guard.accept(3, "c", NOW - 60_001, NOW), "stale")
    assert.strictEqual(guard.accept(3, "c", NOW + 60_001, NOW), "stale")
    assert.isUndefined(guard.accept(3, "c", NOW, NOW))
  })

  it("wants a higher seq each time, with gaps if need be", () => {
    const guard = new ReplayGuard()
    assert.isUndefined(guard.accept(7, "a", NOW, NOW))
    assert.strictEqual(guard.accept(7, "b", NOW, NOW), "old_seq")
    assert.strictEqual(guard.accept(6, "b", NOW, NOW), "old_seq")
    assert.isUndefined(guard.accept(900, "b", NOW, NOW))
  })

  it("checks the time first, then at seq, then at the nonce, and remembers nothing of a refused frame", () => {
    const guard = new ReplayGuard()
    assert.isUndefined(guard.accept(5, "a", NOW, NOW))
    assert.strictEqual(guard.accept(5, "a", NOW - 61_000, NOW), "stale")
    assert.strictEqual(guard.accept(5, "a", NOW, NOW), "old_seq")
    assert.strictEqual(guard.accept(6, "a", NOW, NOW), "replayed_nonce")
    assert.isUndefined(guard.accept(6, "b", NOW, NOW))
  })

  it("drops a nonce after 180 seconds", () => {
    const guard = new ReplayGuard()
    guard.accept(1, "a", NOW, NOW)
    assert.strictEqual(guard.accept(2, "a", NOW + 179_999, NOW + 179_999), "replayed_nonce")
    assert.isUndefined(guard.accept(2, "a", NOW + 180_000, NOW + 180_000))
  })

  it("remembers the last 4096 nonces", () => {
    const guard = new ReplayGuard()
    for (let seq = 1; seq <= 4097; seq++) assert.isUndefined(guard.accept(seq, `n${seq}`, NOW, NOW))
    assert.strictEqual(guard.accept(5000, "n2", NOW, NOW), "replayed_nonce")
    assert.isUndefined(guard.accept(5000, "n1", NOW, NOW))
  })

  it("decides as a plain list of nonces and times would", () => {
    const step = fc.record({ nonce: fc.integer({ min: 0, max: 30 }), wait: fc.integer({ min: 0, max: 30_000 }) })
    fc.assert(fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const guard = new ReplayGuard()
      let seen: Array<readonly [nonce: string, at: number]> = []
      let now = NOW
      steps.forEach(({ nonce, wait }, index) => {
        now += wait
        seen = seen.filter(([, time]) => time + 180_000 > now)
        const expected = seen.some(([other]) => other === String(nonce)) ? "replayed_nonce" : undefined
        assert.strictEqual(guard.accept(index + 1, String(nonce), now, now), expected)
        if (expected === undefined) seen.push([String(nonce), now])
      })
    }))
  })
})
