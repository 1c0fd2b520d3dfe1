import { assert, describe, it } from "@effect/vitest"
import { catchUp } from "../../../../src/domain/schedules/Schedule/CatchUp.ts"
import { cadenceOf, time } from "./cadences.ts"

/** A year of seconds, with a counter of how many of them were computed. */
const missedYear = () => {
  let computed = 0
  const cadence = cadenceOf("* * * * * *")
  const newestFirst = function*() {
    for (const tick of cadence.ticksBackwards(time("2026-01-01T00:00:00Z"), time("2025-01-01T00:00:00Z"))) {
      computed++
      yield tick
    }
  }
  return { newestFirst: newestFirst(), computed: () => computed }
}

describe("catchUp", () => {
  it("fires nothing, the newest, or the newest ones in order", () => {
    const newest = ["2025-12-31T23:59:58Z", "2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z"].map(time)
    assert.deepStrictEqual(catchUp("skip", missedYear().newestFirst, 3), { ticks: [], isCut: false })
    assert.deepStrictEqual(catchUp("fire_one_missed", missedYear().newestFirst, 3), {
      ticks: newest.slice(-1),
      isCut: false
    })
    assert.deepStrictEqual(catchUp("fire_all_missed", missedYear().newestFirst, 3), { ticks: newest, isCut: true })
  })

  it("is not truncated if all missed ticks fit", () => {
    assert.deepStrictEqual(catchUp("fire_all_missed", [3, 2, 1], 3), { ticks: [1, 2, 3], isCut: false })
    assert.deepStrictEqual(catchUp("fire_one_missed", [], 3), { ticks: [], isCut: false })
  })

  it("computes no more ticks than it must know of", () => {
    const missed = missedYear()
    catchUp("fire_all_missed", missed.newestFirst, 100)
    assert.strictEqual(missed.computed(), 101)
  })
})
