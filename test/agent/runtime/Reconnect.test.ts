import { assert, describe, it } from "@effect/vitest"
import type { FailureKind } from "../../../src/agent/runtime/AgentStatus.ts"
import { Backoff } from "../../../src/agent/runtime/Reconnect.ts"

/** The table of the agents' protocol, section 1.1, in seconds. */
const schedules: ReadonlyArray<readonly [kind: FailureKind, first: number, longest: number]> = [
  ["auth", 10, 600],
  ["incompatible", 120, 3600],
  ["protocol", 1, 60],
  ["connection", 1, 30]
]

describe("the wait before the next attempt", () => {
  for (const [kind, first, longest] of schedules) {
    it(`after ${kind} begins at ${first} s, doubles up to ${longest} s, with 0 to 30 % added`, () => {
      const factors: Array<number> = []
      for (let run = 0; run < 200; run++) {
        const backoff = new Backoff()
        for (let streak = 0; streak < 30; streak++) {
          const factor = backoff.next(kind) / (Math.min(longest, first * 2 ** streak) * 1000)
          assert.isAtLeast(factor, 1)
          assert.isAtMost(factor, 1.3)
          factors.push(factor)
        }
      }
      assert.isBelow(Math.min(...factors), 1.02, "some wait hardly longer")
      assert.isAbove(Math.max(...factors), 1.28, "and some nearly a third")
    })
  }

  it("is counted for each kind by itself, and restarts for all once a session lasted", () => {
    const backoff = new Backoff()
    for (let n = 0; n < 5; n++) backoff.next("connection")
    assert.isBelow(backoff.next("protocol"), 1301)
    assert.isAtLeast(backoff.next("connection"), 30_000)
    backoff.reset()
    for (const [kind, first] of schedules) assert.isAtMost(backoff.next(kind), first * 1300)
  })
})
