import { assert, describe, it } from "@effect/vitest"
import { ClockOffset } from "../../src/protocol/ClockOffset.ts"

/** Frames of one clock that is so far ahead of the receiver's, every 10 s, each so long on its way. */
const observe = (offset: ClockOffset, ahead: number, from: number, delays: ReadonlyArray<number>): void =>
  delays.forEach((delay, index) => {
    const now = from + index * 10_000
    offset.observe(now - delay + ahead, now)
  })

describe("the offset of a sender's clock", () => {
  it("is none while frames take as long as they take", () => {
    const offset = new ClockOffset()
    observe(offset, 0, 1e12, [900, 40, 5000, 120, 15_000])
    assert.strictEqual(offset.millis, 0)
    observe(offset, 150, 1e12 + 60_000, [30, 30])
    assert.strictEqual(offset.millis, 0)
  })

  it("of a clock that is ahead is that of the first frame, of the fastest one later", () => {
    const offset = new ClockOffset()
    observe(offset, 10_000, 1e12, [400])
    assert.strictEqual(offset.millis, -9600)
    observe(offset, 10_000, 1e12 + 10_000, [3000, 20, 800])
    assert.strictEqual(offset.millis, -9980)
  })

  it("of a clock that is behind is believed after half a minute, since slow frames look the same", () => {
    const offset = new ClockOffset()
    observe(offset, -300, 1e12, [700, 10, 900])
    assert.strictEqual(offset.millis, 0)
    observe(offset, -300, 1e12 + 30_000, [50])
    assert.strictEqual(offset.millis, 310)
  })

  it("does not change with measurements that differ little", () => {
    const offset = new ClockOffset()
    observe(offset, 500, 1e12, [90, 40, 10])
    assert.strictEqual(offset.millis, -410)
  })

  it("follows a step ahead at once, and a step back within ten minutes", () => {
    const offset = new ClockOffset()
    observe(offset, 0, 1e12, [10, 10])
    observe(offset, 5000, 1e12 + 20_000, [10])
    assert.strictEqual(offset.millis, -4990)
    observe(offset, 0, 1e12 + 30_000, Array.from({ length: 60 }, () => 10))
    assert.strictEqual(offset.millis, 0)
  })
})
