import { assert, describe, it } from "@effect/vitest"
import { generateHistory } from "../../src/cli/demo/History.ts"
import * as Shop from "../../src/cli/demo/Shop.ts"

const day = 86_400_000
const hour = 3_600_000
const begin = 20_000 * day

describe("the demo's filled day", () => {
  it("has the rate of the running shop at each time of day, and no event after its end", () => {
    const past = generateHistory(begin, begin + day, 0)
    const receivedOf = (name: string, from: number) =>
      past.events.filter(({ data, kind, occurredAt }) => {
        const at = Date.parse(occurredAt)
        return kind === "task.received" && data instanceof Map && data.get("task_name") === JSON.stringify(name) &&
          at >= from &&
          at < from + hour
      }).length
    for (const at of [2, 8, 12, 19, 22]) {
      const from = begin + at * hour
      let placed = 0
      for (let now = from, order = 0; now < from + hour; placed++) now += Shop.millisBefore(order++, now)
      const inHistory = receivedOf("checkout.place_order", from)
      assert.isAtMost(
        Math.abs(inHistory - placed),
        0.15 * placed,
        `${inHistory} in the history at ${at} h, ${placed} live`
      )
      assert.isAtMost(Math.abs(receivedOf("stock.sync_warehouse", from) - 3600 / Shop.allSyncsSeconds), 1)
    }
    assert.isTrue(past.events.every(({ occurredAt }) => Date.parse(occurredAt) < begin + day))
    assert.isBelow(past.events.length, 100_000, "more would make the demo's start long")
  })

  it("gives each attempt the run time of that attempt alone, also after a retry", () => {
    const { events } = generateHistory(begin, begin + hour, 0)
    const runtimes = events.flatMap(({ data, kind }) =>
      data instanceof Map && data.get("exception") === "\"CardDeclined\""
        ? [{ kind, runtime: data.get("runtime_ms") }]
        : []
    )
    assert.includeMembers(runtimes.map(({ kind }) => kind), ["task.retried", "task.failed"])
    assert.deepStrictEqual(new Set(runtimes.map(({ runtime }) => runtime)), new Set(["800"]))
  })
})
