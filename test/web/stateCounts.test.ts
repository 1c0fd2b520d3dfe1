import { assert, describe, it } from "@effect/vitest"
import { countAll, countState } from "../../web/src/tasks/stateCounts.ts"

type Facets = Parameters<typeof countAll>[0]

const facetsOf = (state: Readonly<Record<string, number>>, complete: Partial<Facets> = {}): Facets => ({
  counted: Object.values(state).reduce((sum, count) => sum + count, 0),
  is_complete: false,
  is_state_complete: false,
  state: Object.entries(state).map(([value, count]) => ({ value, count })),
  name: [],
  queue: [],
  worker: [],
  engine: [],
  ...complete
})

describe("the counts of the states", () => {
  it("are exact where all tasks were counted, and 0 of a state without any", () => {
    const rest = facetsOf({ success: 12_000, failure: 496 }, { counted: 10_000, is_state_complete: true })
    assert.deepStrictEqual(countAll(rest), { value: 12_496, isExact: true })
    assert.deepStrictEqual(countState("failure", rest, undefined, []), { value: 496, isExact: true })
    assert.deepStrictEqual(countState("retry", rest, undefined, []), { value: 0, isExact: true })
  })

  it("are the exact ones of the line for its states, else at least those that were read, and none is no number", () => {
    const rest = facetsOf({ success: 9_749, failure: 251 })
    const line = facetsOf({ failure: 496 }, { is_complete: true, is_state_complete: true })
    assert.deepStrictEqual(countAll(rest), { value: 10_000, isExact: false })
    assert.deepStrictEqual(countState("failure", rest, line, ["failure"]), { value: 496, isExact: true })
    assert.deepStrictEqual(countState("failure", rest, undefined, ["failure"]), { value: 251, isExact: false })
    assert.deepStrictEqual(countState("retry", rest, line, ["failure", "retry"]), { value: 0, isExact: true })
    assert.isUndefined(countState("retry", rest, line, ["failure"]))
    assert.isUndefined(countAll(facetsOf({})))
  })
})
