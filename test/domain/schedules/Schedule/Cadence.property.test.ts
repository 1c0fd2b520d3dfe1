import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "fast-check"
import { fromEpochMicros, type Timestamp } from "../../../../src/domain/kernel/Timestamp.ts"
import { compile } from "../../../../src/domain/schedules/Schedule/Cadence.ts"
import { summarize } from "../../../../src/domain/schedules/Schedule/Summary.ts"
import { runs } from "../../../properties.ts"
import { cadenceOf, time } from "./cadences.ts"
import { randomExpression, seeded } from "./expressions.ts"

const zones = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Antarctica/Troll",
  "Africa/Cairo",
  "Africa/Casablanca",
  "America/Santiago",
  "Pacific/Apia",
  "Asia/Kathmandu",
  "UTC"
]

const cadence = fc.oneof(
  fc.tuple(fc.integer(), fc.constantFrom(...zones)).map(([seed, zone]) =>
    cadenceOf(randomExpression(seeded(seed)).text, zone)
  ),
  fc.integer({ min: 1, max: 90_000 }).map((seconds) =>
    cadenceOf(String(seconds), "UTC", { kind: "interval", anchor: time("2004-02-29T12:34:56.789Z") })
  )
)

/** 2000 to 2199, often the seconds at their ends, with microseconds. */
const [first, last] = [946_684_800, 7_258_118_399]
const second = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: first, max: last }) },
  fc.integer({ min: first, max: first + 172_800 }),
  fc.integer({ min: last - 172_800, max: last })
)
const moment = fc.tuple(second, fc.integer({ min: 0, max: 999_999 }))
  .map(([seconds, micros]) => fromEpochMicros(seconds * 1_000_000 + micros))

const RUNS = runs(2000)

const check = (property: fc.IProperty<unknown>) => fc.assert(property, { numRuns: RUNS })

const isBetween = (tick: Timestamp, after: Timestamp, before: Timestamp) => tick > after && tick < before

describe("Cadence", () => {
  it("next and prev are inverse, and no tick lies between a time and its next or previous tick", () => {
    check(fc.property(cadence, moment, (cadence, at) => {
      const next = cadence.next(at)
      const prev = cadence.prev(at)
      if (next !== null) {
        assert.isTrue(next > at)
        const last = cadence.prev(next)
        assert.isTrue(last === null || last <= at)
        assert.strictEqual(cadence.next(last ?? time("2000-01-01T00:00:00Z")), next)
      }
      if (prev !== null) {
        assert.isTrue(prev < at)
        const following = cadence.next(prev)
        assert.isTrue(following === null || following >= at)
      }
      if (next !== null && prev !== null) assert.isFalse(isBetween(cadence.next(prev) ?? next, prev, at))
    }))
  })

  it("ticks come in order, each once, the same in both directions", () => {
    check(fc.property(cadence, moment, fc.integer({ min: 1, max: 30 }), (cadence, at, count) => {
      const forwards: Array<Timestamp> = []
      for (const tick of cadence.ticksBetween(at, time("2199-12-31T23:59:59Z"))) {
        forwards.push(tick)
        if (forwards.length === count) break
      }
      assert.deepStrictEqual(forwards, [...new Set(forwards)].sort())
      const last = forwards.at(-1)
      if (last === undefined) return
      assert.deepStrictEqual([...cadence.ticksBackwards(last, at)].reverse(), forwards)
    }))
  })

  it("any text compiles or is refused in one sentence, and nothing throws", () => {
    const cronText = fc.stringOf(fc.constantFrom(..."0123456789*/,-#LWFRI? @\t"), { maxLength: 40 })
    const field = fc.stringOf(fc.constantFrom(..."012359*/,-LW#"), { minLength: 1, maxLength: 5 })
    const fields = fc.array(field, { minLength: 5, maxLength: 6 }).map((words) => words.join(" "))
    const kind = fc.constantFrom("cron", "cron", "interval", "clocked")
    check(fc.property(fc.oneof(cronText, fields, fc.fullUnicodeString()), kind, moment, (expression, kind, at) => {
      const compiled = compile({ kind, expression, timezone: "Europe/Berlin" })
      if (Either.isLeft(compiled)) return assert.match(compiled.left.detail, /^expression: \S.*\.$/su)
      const next = compiled.right.next(at)
      assert.isTrue(next === null || next > at)
      assert.isNotEmpty(summarize({ kind, expression }, "en"))
    }))
  })
})
