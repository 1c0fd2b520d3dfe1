import { assert, describe, it } from "@effect/vitest"
import { sizeQueue, type SizingFacts } from "../../../../src/domain/tasks/Queue/Sizing.ts"

const facts = (change: Partial<SizingFacts> = {}): SizingFacts => ({
  targetSeconds: 30,
  received: 3600,
  timed: 3600,
  runtimeMillis: 3600 * 10_000,
  concurrencies: [4, 8],
  ...change
})

describe("the workers that hold a target", () => {
  it("are the fewest slots by Little's law and Erlang C", () => {
    // 1 task/s of 10 s keeps 10 slots busy; of 11, 12 and 13 slots 68 %, 45 % and 29 % of the tasks wait at all (tables of
    // Erlang C), and 3.4 %, 0.11 % and less longer than 30 s
    assert.deepStrictEqual(sizeQueue(facts()), {
      received_per_minute: 60,
      mean_runtime_ms: 10_000,
      busy_slots: 10,
      slots: 11,
      slots_now: 12,
      workers: 2,
      workers_now: 2
    })
    assert.strictEqual(sizeQueue(facts({ targetSeconds: 1 }))?.slots, 16)
  })

  it("match the textbook: 20 calls of 3 minutes in half an hour", () => {
    // load 2 erlang: C(3, 2) = 4/9, so that of 3 slots 44 % wait; C(4, 2) = 0.174, C(5, 2) = 0.0597, C(6, 2) = 0.018
    const calls = { received: 40, timed: 40, runtimeMillis: 40 * 180_000, concurrencies: [1] }
    assert.strictEqual(sizeQueue(facts({ ...calls, targetSeconds: 1 }))?.slots, 6)
    assert.strictEqual(sizeQueue(facts({ ...calls, targetSeconds: 600 }))?.slots, 3)
    assert.deepInclude(sizeQueue(facts({ ...calls, targetSeconds: 600 })), { busy_slots: 2, workers: 3, slots_now: 1 })
  })

  it("are not given without data, and without bound", () => {
    assert.isNull(sizeQueue(facts({ received: 19 })))
    assert.isNull(sizeQueue(facts({ timed: 19 })))
    assert.isNull(sizeQueue(facts({ received: 3600 * 2000, concurrencies: [] }))) // 20 000 slots
    assert.deepInclude(sizeQueue(facts({ concurrencies: [4, null] })), {
      slots_now: null,
      workers: null,
      workers_now: 2
    })
    assert.deepInclude(sizeQueue(facts({ concurrencies: [] })), { slots_now: null, workers: null, workers_now: 0 })
    assert.deepInclude(sizeQueue(facts({ runtimeMillis: 0 })), { slots: 1, busy_slots: 0 })
  })
})
