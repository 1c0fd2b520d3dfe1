import { assert, describe, it } from "vitest"
import { type Attempt, timesOf } from "../../web/src/tasks/times.ts"

const noon = Date.parse("2026-11-24T12:00:00Z")
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString()

/** From and to in seconds after noon. */
const attempt = (
  state: Attempt["state"],
  from: number,
  to: number | null,
  more: Partial<Attempt> = {}
): Attempt => ({
  number: 1,
  state,
  started_at: at(from),
  finished_at: to === null ? null : at(to),
  runtime_ms: to === null ? null : (to - from) * 1000,
  worker_name: null,
  exception: null,
  ...more
})

const task = (fields: Partial<Parameters<typeof timesOf>[0]> = {}) => ({
  state: "success" as const,
  received_at: at(0),
  started_at: null,
  finished_at: null,
  ...fields
})

const drawn = ({ spans }: ReturnType<typeof timesOf>) =>
  spans.map((span) => [
    span.kind === "attempt" ? span.state : span.kind,
    (span.from - noon) / 1000,
    (span.to - noon) / 1000
  ])

describe("the times of a task", () => {
  it("queue time ends with the first start, and the run time is that of all attempts", () => {
    const times = timesOf(
      task({
        started_at: at(5),
        finished_at: at(7.5),
        runtime_ms: 2500,
        attempt_list: [
          attempt("failure", 0.056, 2.056, { exception: "GatewayTimeout" }),
          attempt("failure", 2.06, 4.06),
          attempt("success", 5, 7.5)
        ]
      }),
      noon + 60_000
    )
    assert.deepInclude(times, { queueMillis: 56, runMillis: 6500, attempts: 3 })
    assert.deepStrictEqual(drawn(times), [
      ["queue", 0, 0.056],
      ["failure", 0.056, 2.056],
      ["gap", 2.056, 2.06],
      ["failure", 2.06, 4.06],
      ["gap", 4.06, 5],
      ["success", 5, 7.5]
    ])
    assert.deepInclude(times.spans[1], { exception: "GatewayTimeout" })
  })

  it("a revoked, a rejected and an unknown attempt have their own state", () => {
    for (const state of ["revoked", "rejected", "unknown"] as const) {
      const times = timesOf(task({ state, started_at: at(1), finished_at: at(3) }), noon + 9000)
      assert.deepStrictEqual(drawn(times), [["queue", 0, 1], [state, 1, 3]])
    }
  })

  it("what runs or waits reaches to now", () => {
    const now = noon + 7000
    const running = timesOf(
      task({
        state: "started",
        started_at: at(4),
        attempt_list: [attempt("failure", 1, 3), attempt("started", 4, null)]
      }),
      now
    )
    assert.deepInclude(running, { queueMillis: 1000, runMillis: 5000 })
    assert.deepStrictEqual(drawn(running).at(-1), ["started", 4, 7])
    const waiting = timesOf(task({ state: "received" }), now)
    assert.deepInclude(waiting, { queueMillis: 7000, runMillis: null, attempts: 0 })
    assert.deepStrictEqual(drawn(waiting), [["queue", 0, 7]])
    const retrying = timesOf(
      task({ state: "retry", started_at: at(1), attempt_list: [attempt("failure", 1, 3)] }),
      now
    )
    assert.deepInclude(retrying, { queueMillis: 1000, runMillis: 2000 })
    assert.deepStrictEqual(drawn(retrying), [["queue", 0, 1], ["failure", 1, 3], ["gap", 3, 7]])
  })

  it("a task that ended before it ran has waited, but has no queue time", () => {
    const times = timesOf(task({ state: "revoked", finished_at: at(2) }), noon + 9000)
    assert.deepStrictEqual(drawn(times), [["queue", 0, 2]])
    assert.deepInclude(times, { queueMillis: null, runMillis: null })
  })

  it("an attempt that lost its worker is drawn until the next start, and its run time is not known", () => {
    const times = timesOf(
      task({
        started_at: at(40),
        finished_at: at(41),
        attempt_list: [attempt("failure", 1, null, { exception: "Worker lost" }), attempt("success", 40, 41)]
      }),
      noon + 60_000
    )
    assert.deepStrictEqual(drawn(times), [["queue", 0, 1], ["failure", 1, 40], ["success", 40, 41]])
    assert.strictEqual(times.runMillis, 1000)
  })

  it("dropped attempts do not make the queue time longer, and clocks that contradict each other give none", () => {
    const list = [attempt("success", 600, 601)]
    const dropped = timesOf(task({ first_started_at: at(2), started_at: at(600), attempt_list: list }), noon)
    assert.strictEqual(dropped.queueMillis, 2000)
    const contradicting = timesOf(task({ received_at: at(5), started_at: at(2), finished_at: at(4) }), noon)
    assert.deepStrictEqual(drawn(contradicting), [["success", 2, 4]])
    assert.isNull(contradicting.queueMillis)
  })
})
