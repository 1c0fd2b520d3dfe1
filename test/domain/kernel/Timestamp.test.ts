import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, JSONSchema, Schema, TestClock } from "effect"
import * as fc from "fast-check"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"

const decode = Schema.decodeUnknownSync(Timestamp.Timestamp)
const isTimestamp = Schema.is(Timestamp.Timestamp)
const anyTimestamp = fc.tuple(
  fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }),
  fc.integer({ min: 0, max: 999_999 })
)

describe("Timestamp", () => {
  it.each([
    ["2026-11-21T06:46:26.088698Z", "2026-11-21T06:46:26.088698Z"],
    ["2026-11-21T06:46:26.088698+00:00", "2026-11-21T06:46:26.088698Z"],
    ["2026-11-21T06:46:26Z", "2026-11-21T06:46:26.000000Z"],
    ["2026-11-21t06:46:26.5z", "2026-11-21T06:46:26.500000Z"],
    ["2026-11-21 06:46:26.123456789-00:00", "2026-11-21T06:46:26.123456Z"],
    ["2026-11-21T12:16:26+05:30", "2026-11-21T06:46:26.000000Z"],
    ["2026-12-31T23:30:00.000001-01:00", "2027-01-01T00:30:00.000001Z"],
    ["2024-02-29T00:00:00+00:01", "2024-02-28T23:59:00.000000Z"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"]
  ])("decodes %s", (text, expected) => {
    assert.strictEqual(decode(text), expected)
  })

  it.each([
    "",
    "2026-11-21",
    "2026-11-21T06:46:26",
    "2026-11-21T06:46:26.Z",
    "2026-11-21T06:46:26,5Z",
    "2026-11-21T06:46:26.0123456789Z",
    "2026-11-21T06:46:26ZZ",
    "2026-11-21T06:46:26+0530",
    "2026-11-21T06:46:26+24:00",
    "2026-11-21T06:46:26+05:60",
    "2026-11-21T06:46:60Z",
    "2026-11-21T24:00:00Z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "10000-01-01T00:00:00Z",
    "2026/11/21T06:46:26Z",
    "\u0662026-11-21T06:46:26Z"
  ])("refuses %j", (text) => {
    assert.isUndefined(Timestamp.parse(text))
    assert.throws(() => decode(text))
  })

  it("agrees with Date on the millisecond, both ways", () => {
    fc.assert(fc.property(anyTimestamp, ([seconds, micros]) => {
      const timestamp = Timestamp.fromEpochMicros(BigInt(seconds) * 1_000_000n + BigInt(micros))
      const millis = seconds * 1000 + Math.floor(micros / 1000)
      assert.strictEqual(timestamp.slice(0, 23), new Date(millis).toISOString().slice(0, 23))
      assert.strictEqual(Timestamp.toEpochMillis(timestamp), millis)
      assert.strictEqual(timestamp.slice(20, 26), String(micros).padStart(6, "0"))
      assert.strictEqual(decode(timestamp), timestamp)
    }))
  })

  it("takes numbers and bigints alike, before 1970 too", () => {
    assert.strictEqual(Timestamp.fromEpochMicros(-1), "1969-12-31T23:59:59.999999Z")
    assert.strictEqual(Timestamp.fromEpochMicros(-1n), "1969-12-31T23:59:59.999999Z")
    assert.strictEqual(Timestamp.fromEpochMicros(1_795_243_586_088_698), "2026-11-21T06:46:26.088698Z")
    assert.throws(() => Timestamp.fromEpochMicros(253_402_300_800_000_000n), RangeError)
    assert.throws(() => Timestamp.fromEpochMicros(Number.NaN), RangeError)
  })

  it("adds seconds with fractions and keeps the order", () => {
    const start = decode("2026-11-21T06:46:26.900000Z")
    assert.strictEqual(Timestamp.addSeconds(start, 0.1), "2026-11-21T06:46:27.000000Z")
    assert.strictEqual(Timestamp.addSeconds(start, -0.9), "2026-11-21T06:46:26.000000Z")
    assert.strictEqual(Timestamp.addSeconds(start, -86_400), "2026-11-20T06:46:26.900000Z")
    assert.strictEqual(Timestamp.order(start, Timestamp.addSeconds(start, 0.000001)), -1)
  })

  it("is a date-time in JSON Schema and has its own arbitrary values", () => {
    assert.deepInclude(JSONSchema.make(Timestamp.Timestamp), { type: "string", format: "date-time" })
    assert.isFalse(isTimestamp("2026-11-21T06:46:26Z"))
    fc.assert(fc.property(Arbitrary.make(Timestamp.Timestamp), (timestamp) => isTimestamp(timestamp)))
  })

  it.effect("reads the fiber's clock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_795_243_586_088)
      assert.strictEqual(yield* Timestamp.now, "2026-11-21T06:46:26.088000Z")
    }))

  it.effect("follows the wall clock when it was stepped away from the fine clock", () =>
    Effect.gen(function*() {
      const clock = yield* Effect.clock
      const stepped = (millis: number, nanos: bigint) =>
        Timestamp.now.pipe(Effect.withClock({
          ...clock,
          unsafeCurrentTimeMillis: () => millis,
          unsafeCurrentTimeNanos: () => nanos
        }))
      assert.strictEqual(yield* stepped(1_000, 1_000_345_999n), "1970-01-01T00:00:01.000345Z")
      assert.strictEqual(yield* stepped(9_000, 1_000_345_999n), "1970-01-01T00:00:09.000000Z")
    }))
})
