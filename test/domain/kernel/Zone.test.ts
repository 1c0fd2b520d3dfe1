import { assert, describe, it } from "@effect/vitest"
import { findZone } from "../../../src/domain/kernel/Zone.ts"
import { seeded } from "../schedules/Schedule/expressions.ts"

/** `SVC_ZONE_PROBES=100000` compares more instants of each zone. */
const PROBES = Number(process.env.SVC_ZONE_PROBES ?? 100)

const START = Date.UTC(2000, 0, 1) / 1000
const END = Date.UTC(2100, 0, 1) / 1000

/** The offset as other code reads it: from the clock's digits. */
const offsetReader = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
  return (instant: number): number => Date.parse(`${format.format(instant * 1000)}Z`) / 1000 - instant
}

describe("findZone", () => {
  it("has the offsets that Intl shows, in every zone that Intl lists", () => {
    const random = seeded(1)
    const differences: Array<string> = []
    for (const name of [...Intl.supportedValuesOf("timeZone"), "UTC", "Asia/Kathmandu", "US/Pacific", "Etc/GMT+12"]) {
      const zone = findZone(name)
      const read = offsetReader(name)
      const year = START + random(98) * 31_557_600
      for (let probe = 0; probe < PROBES; probe++) {
        const instant = probe % 10 === 0 ? START + random(END - START) : year + random(2 * 31_557_600)
        const { end, offset, offsetBefore, start } = zone?.segmentAt(instant) ??
          { end: 0, offset: 0, offsetBefore: 0, start: 0 }
        const isRight = start <= instant && instant < end && offset === read(instant) &&
          offset === read(start) && offset === read(end - 1) && offsetBefore === read(start - 1)
        if (!isRight) differences.push(`${name} at ${instant}`)
      }
    }
    assert.deepStrictEqual(differences, [])
  })

  it("finds a name in any case, once", () => {
    assert.isNotNull(findZone("Europe/Berlin"))
    assert.strictEqual(findZone("europe/BERLIN"), findZone("Europe/Berlin"))
  })
})
