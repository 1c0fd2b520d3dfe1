import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import fc from "fast-check"
import { type Bucket, rateBuckets, windowSeconds } from "../../../src/domain/kernel/Access.ts"
import { clientKey } from "../../../src/domain/kernel/net/ClientAddress.ts"
import { RateLimits } from "../../../src/services/kernel/RateLimits.ts"
import { settingsOn } from "../../databases.ts"

const fresh = Layer.provide(RateLimits.layer, settingsOn("SQLite"))

/** The rule of the interface, read literally: everything that was accepted is remembered for ever. */
const naive = () => {
  const accepted: Array<{ readonly bucket: Bucket; readonly key: string; readonly at: number }> = []
  return (bucket: Bucket, key: string, at: number): boolean => {
    const recent = accepted.filter((one) =>
      one.bucket === bucket && one.key === key && one.at > at - windowSeconds(bucket) * 1000
    )
    const fits = recent.length < rateBuckets[bucket]
    if (fits) accepted.push({ bucket, key, at })
    return fits
  }
}

describe("rate limits", () => {
  it.effect("accept what a sliding window accepts, request by request", () =>
    Effect.gen(function*() {
      const steps = fc.array(
        fc.record({
          wait: fc.oneof(
            { weight: 3, arbitrary: fc.constant(0) },
            fc.integer({ min: 1, max: 20_000 }),
            fc.constantFrom(59_999, 60_000, 60_001, 900_000)
          ),
          times: fc.integer({ min: 1, max: 12 }),
          bucket: fc.constantFrom<Bucket>("login", "bulk_write", "docs", "setup"),
          key: fc.constantFrom("a", "b", "c")
        }),
        { minLength: 1, maxLength: 60 }
      )
      for (const plan of fc.sample(steps, { numRuns: 25, seed: 5 })) {
        const limits = yield* Effect.provide(RateLimits, fresh)
        const expected = naive()
        let now = 0
        for (const { bucket, key, times, wait } of plan) {
          yield* TestClock.adjust(wait)
          now += wait
          for (let n = 0; n < times; n++) {
            assert.strictEqual(yield* limits.take(bucket, key), expected(bucket, key, now), JSON.stringify(plan))
          }
        }
      }
    }))

  it.effect("have the numbers of the contract", () =>
    Effect.gen(function*() {
      const limits = yield* Effect.provide(RateLimits, fresh)
      const table: Record<Bucket, readonly [number, number]> = {
        login: [20, 60],
        password_reset: [10, 60],
        invitation: [30, 60],
        backchannel_logout: [6000, 60],
        bulk_write: [10, 60],
        channel_test: [20, 60],
        channel_import: [30, 60],
        agent: [600, 60],
        docs: [10, 60],
        mfa: [10, 60],
        setup: [5, 900],
        activity: [60, 60],
        dead_letters: [60, 60],
        backtest: [60, 60],
        denial: [10, 60],
        refused_key: [10, 60]
      }
      for (const [name, [most, seconds]] of Object.entries(table)) {
        const bucket = name as Bucket // a key of the table
        const burst = yield* Effect.replicateEffect(limits.take(bucket, "k"), most + 3)
        assert.deepStrictEqual(burst, [...Array.from({ length: most }, () => true), false, false, false], bucket)
        yield* TestClock.adjust(seconds * 1000 - 1)
        assert.isFalse(yield* limits.take(bucket, "k"), bucket)
        yield* TestClock.adjust(1)
        assert.isTrue(yield* limits.take(bucket, "k"), `${bucket}: what was refused did not lengthen it`)
      }
    }))

  it.effect("count buckets and clients apart, and what one subscriber has as one", () =>
    Effect.gen(function*() {
      const limits = yield* Effect.provide(RateLimits, fresh)
      const spend = (bucket: Bucket, address: string | null) =>
        Effect.replicateEffect(limits.takeForAddress(bucket, address), rateBuckets[bucket])
      yield* spend("docs", "2001:db8:1:2::1")
      assert.isFalse(yield* limits.takeForAddress("docs", "2001:db8:1:2:ffff:ffff:ffff:ffff"))
      assert.isTrue(yield* limits.takeForAddress("docs", "2001:db8:1:3::1"))
      assert.isTrue(yield* limits.takeForAddress("login", "2001:db8:1:2::1"))
      yield* spend("docs", "192.0.2.1")
      assert.isFalse(yield* limits.takeForAddress("docs", "::ffff:192.0.2.1"))
      assert.isTrue(yield* limits.takeForAddress("docs", "192.0.2.2"))
      yield* spend("docs", null)
      assert.isFalse(yield* limits.takeForAddress("docs", null))
      assert.deepStrictEqual(["x", "::ffff:7f00:1", "fe80::1%eth0"].map(clientKey), [
        "unknown",
        "127.0.0.1",
        "65152.0.0.0/64"
      ])
    }))

  it.effect("remember a bounded number of clients: who was silent longest is forgotten, who keeps trying is not", () =>
    Effect.gen(function*() {
      const limits = yield* Effect.provide(RateLimits, fresh)
      yield* Effect.replicateEffect(limits.take("docs", "silent"), 11)
      for (let n = 0; n < 20_000; n++) {
        if (n % 2000 === 0) yield* Effect.replicateEffect(limits.take("docs", "trying"), 11)
        yield* limits.take("docs", `spray ${n}`)
      }
      assert.isFalse(yield* limits.take("docs", "trying"))
      assert.isTrue(yield* limits.take("docs", "silent"))
    }))
})
