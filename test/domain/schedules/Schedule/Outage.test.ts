import { assert, describe, it } from "@effect/vitest"
import { joinOutage, joinOutages, lastOf, type MissedTicks } from "../../../../src/domain/schedules/Schedule/Outage.ts"
import { cadenceOf, time } from "./cadences.ts"

const hourly = cadenceOf("0 * * * *")

const at = (hour: number) => time(`2026-03-01T${String(hour).padStart(2, "0")}:00:00Z`)

const ticks = (first: number, last: number, cause: MissedTicks["cause"] = "no_agent"): MissedTicks => ({
  first: at(first),
  last: at(last),
  slots: last - first + 1,
  cause
})

describe("an outage", () => {
  it("takes the ticks that follow without one between, and counts those that overlap once", () => {
    assert.deepStrictEqual(joinOutage(hourly, ticks(1, 2), ticks(3, 5)), ticks(1, 5))
    assert.deepStrictEqual(joinOutage(hourly, ticks(1, 4), ticks(3, 6)), ticks(1, 6))
    assert.isNull(joinOutage(hourly, ticks(1, 2), ticks(4, 5)), "a tick between them has fired")
    assert.isNull(joinOutage(hourly, ticks(3, 4), ticks(1, 2)), "earlier ticks")
  })

  it("is left as it is by ticks that it has", () => {
    const outage = ticks(1, 5)
    assert.strictEqual(joinOutage(hourly, outage, ticks(2, 4, "paused")), outage)
  })

  it("has one cause of those that follow each other while what fires comes back; another reason is another misfire", () => {
    assert.deepStrictEqual(
      joinOutage(hourly, ticks(1, 2, "brain_down"), ticks(3, 3, "late")),
      ticks(1, 3, "brain_down")
    )
    assert.isNull(joinOutage(hourly, ticks(1, 2, "brain_down"), ticks(3, 3, "no_agent")))
    assert.isNull(joinOutage(hourly, ticks(1, 2, "paused"), ticks(3, 3, "late")))
  })

  it("is found in ticks of any order", () => {
    const found = joinOutages(hourly, [ticks(7, 7), ticks(2, 2), ticks(1, 1), ticks(8, 8), ticks(3, 3)])
    assert.deepStrictEqual(found, [ticks(1, 3), ticks(7, 8)])
  })

  it("ends at the last of its ticks", () => {
    assert.strictEqual(lastOf(hourly, at(1), 4), at(4))
    assert.strictEqual(lastOf(null, at(1), 4), at(1))
  })
})
