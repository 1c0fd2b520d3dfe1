import { assert, describe, it } from "@effect/vitest"
import { isAllKnown, uptimeCells, uptimeOf } from "../../../src/domain/agents/Uptime.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"

const minute = 60_000
const dayStart = Date.UTC(2026, 10, 27)
/** A moment of the day of the strip, or before it. */
const at = (minutes: number) => dayStart + minutes * minute
const time = (minutes: number) => Timestamp.fromEpochMicros(at(minutes) * 1000)
const outage = (since: number, until: number | null) => ({
  since: time(since),
  until: until === null ? null : time(until)
})
const window = { from: at(0), to: at(1440) }
const always = [{ from: at(-10_000), to: at(1440) }]

describe("the uptime of an agent", () => {
  it("is away as long as its outages, in the half hours that they touch", () => {
    const { away_seconds, cells, known_seconds, outages, uptime } = uptimeOf({
      window,
      watched: always,
      knownFrom: time(-5000),
      outages: [outage(190, 210), outage(-100, 60), outage(1425, null)]
    })
    assert.strictEqual(away_seconds, 95 * 60)
    assert.strictEqual(known_seconds, 86_400)
    assert.strictEqual(uptime, 0.934) // 0.93403
    assert.deepStrictEqual(cells.slice(0, 8), [
      "away",
      "away",
      "connected",
      "connected",
      "connected",
      "connected",
      "partly",
      "connected"
    ])
    assert.strictEqual(cells.length, uptimeCells)
    assert.strictEqual(cells.at(-1), "partly")
    assert.deepStrictEqual(outages, [outage(1425, null), outage(190, 210), outage(-100, 60)])
  })

  it("is unknown before the first connect, and while no brain watched: an outage counts for its known parts", () => {
    const { away_seconds, cells, known_seconds, outages, uptime } = uptimeOf({
      window,
      watched: [{ from: at(-50), to: at(600) }, { from: at(599), to: at(660) }, { from: at(720), to: at(1440) }],
      knownFrom: time(60),
      outages: [outage(630, 750)]
    })
    assert.strictEqual(away_seconds, 60 * 60)
    assert.strictEqual(known_seconds, 1320 * 60)
    assert.strictEqual(uptime, 0.954)
    assert.deepStrictEqual([...new Set(cells.slice(0, 2)), ...cells.slice(20, 26)], [
      "unknown",
      "connected",
      "away",
      "unknown",
      "unknown",
      "away",
      "connected"
    ])
    assert.deepStrictEqual(outages, [outage(720, 750), outage(630, 660)])
  })

  it("of an agent that has never connected is unknown", () => {
    const never = uptimeOf({ window, watched: always, knownFrom: null, outages: [] })
    assert.deepInclude(never, { uptime: null, known_seconds: 0, away_seconds: 0, outages: [] })
    assert.deepStrictEqual([...new Set(never.cells)], ["unknown"])
  })

  it("is less than 100 % after the shortest outage", () => {
    const { uptime } = uptimeOf({ window, watched: always, knownFrom: time(-1), outages: [outage(10, 11)] })
    assert.strictEqual(uptime, 0.999)
  })

  it("is one of all 24 hours but for a few seconds, else of those that are known", () => {
    const knownFor = (seconds: number) => {
      const watched = [{ from: window.to - seconds * 1000, to: window.to }]
      return uptimeOf({ window, watched, knownFrom: time(-1), outages: [] })
    }
    assert.isTrue(isAllKnown(knownFor(86_398)))
    assert.isFalse(isAllKnown(knownFor(86_300)))
    assert.deepInclude(knownFor(600), { uptime: 1, known_seconds: 600 })
  })
})
