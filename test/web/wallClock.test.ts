import { assert, describe, it } from "@effect/vitest"
import { fromWallClock, toWallClock } from "../../web/src/format/wallClock.ts"

const read = (text: string, zone: string) => {
  const time = fromWallClock(text, zone)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

describe("a wall clock", () => {
  it.each([
    ["2026-11-23T10:00", "UTC", "2026-11-23T10:00:00.000Z"],
    ["2026-11-23T10:00", "Europe/Berlin", "2026-11-23T09:00:00.000Z"],
    ["2026-07-01T00:30", "America/New_York", "2026-07-01T04:30:00.000Z"],
    ["2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59:00.000Z"],
    ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
    ["2026-03-08T03:30", "America/New_York", "2026-03-08T07:30:00.000Z"],
    ["2026-10-25T01:30", "Europe/Berlin", "2026-10-24T23:30:00.000Z"],
    ["2026-10-25T03:30", "Europe/Berlin", "2026-10-25T02:30:00.000Z"],
    ["2026-11-01T03:30", "America/New_York", "2026-11-01T08:30:00.000Z"],
    ["2026-11-23T05:45", "Asia/Kathmandu", "2026-11-23T00:00:00.000Z"]
  ])("reads and writes %s in %s", (text, zone, time) => {
    assert.strictEqual(read(text, zone), time)
    assert.strictEqual(toWallClock(Date.parse(time), zone), text)
  })

  it("reads a time that a clock change leaves out as a later one", () => {
    assert.strictEqual(read("2026-03-29T02:30", "Europe/Berlin"), "2026-03-29T01:30:00.000Z")
    assert.strictEqual(read("2026-03-08T02:30", "America/New_York"), "2026-03-08T07:30:00.000Z")
  })

  it("reads one of the two times that a clock change repeats", () => {
    assert.include(["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"], read("2026-10-25T02:30", "Europe/Berlin"))
  })

  it("reads nothing from another text", () => {
    assert.isNull(read("", "UTC"))
    assert.isNull(read("soon", "UTC"))
  })
})
