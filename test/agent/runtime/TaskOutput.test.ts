import { assert, describe, it } from "vitest"
import type { EngineEvent } from "../../../src/agent/runtime/Engine.ts"
import { TaskOutput } from "../../../src/agent/runtime/TaskOutput.ts"

const collect = () => {
  const events: Array<EngineEvent> = []
  return { events, output: new TaskOutput((event) => events.push(event)) }
}

const linesOf = (events: ReadonlyArray<EngineEvent>) =>
  events.flatMap(({ data }) => Array.isArray(data.lines) ? data.lines : [])

describe("the lines of running tasks in the agent", () => {
  it("are few events, each with the times of its lines", () => {
    const { events, output } = collect()
    output.log("t1", { at: 1000, level: "info", message: "begins" }, 2)
    output.log("t1", { at: 1250, level: "warning", message: "slow", fields: { order: 42 } }, 2)
    output.progress("t1", 10, 1300)
    output.progress("t1", 60, 1400)
    assert.deepStrictEqual(events, [])
    output.end("t1")
    assert.deepStrictEqual(events, [
      {
        kind: "task.log",
        taskId: "t1",
        occurredAt: 1000,
        data: {
          attempt: 2,
          lines: [
            { after_ms: 0, level: "info", message: "begins", fields: undefined },
            { after_ms: 250, level: "warning", message: "slow", fields: { order: 42 } }
          ]
        }
      },
      { kind: "task.progress", taskId: "t1", occurredAt: 1400, data: { progress: 60 } }
    ])
  })

  it("of a task that logs in a loop are bounded, and those that are missing are counted", () => {
    const { events, output } = collect()
    for (let line = 0; line < 50_000; line++) output.log("loop", { at: line, level: "info", message: `line ${line}` })
    output.log("loop", { at: 50_000, level: "error", message: "gave up" })
    output.end("loop")
    const lines = linesOf(events)
    assert.strictEqual(lines.length, 801)
    assert.deepInclude(lines.at(-1), { message: "gave up" })
    assert.strictEqual(events.reduce((sum, { data }) => sum + Number(data.dropped ?? 0), 0), 49_200)
    assert.isAtMost(events.length, 10)
  })

  it("of all tasks together are bounded between two flushes", () => {
    const { events, output } = collect()
    for (let task = 0; task < 3000; task++) output.log(`t${task}`, { at: task, level: "info", message: "x" })
    output.close()
    assert.strictEqual(linesOf(events).length, 1000)
    assert.strictEqual(events.reduce((sum, { data }) => sum + Number(data.dropped ?? 0), 0), 2000)
  })

  it("of control characters are few in an event, which has at most what the runtime sends of a field", () => {
    const { events, output } = collect()
    for (let line = 0; line < 20; line++) output.log("t1", { at: 0, level: "info", message: "\u0001".repeat(4096) })
    output.end("t1")
    assert.strictEqual(linesOf(events).length, 20)
    for (const { data } of events) assert.isBelow(JSON.stringify(data.lines).length, 65_536)
  })

  it("and their fields are cut to their bounds, whatever they are", () => {
    const { events, output } = collect()
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    output.log("t1", { at: 0, level: "info", message: "m".repeat(10_000), fields: { big: "f".repeat(5000) } })
    // The assertion: an application may annotate with anything.
    output.log("t1", { at: 0, level: "info", message: "cycle", fields: cycle as { readonly self: null } })
    output.log("t1", { at: 0, level: "info", message: "wide", fields: { big: "é".repeat(1500) } })
    output.end("t1")
    const [long, cyclic, wide] = linesOf(events) as ReadonlyArray<{ readonly message: string; readonly fields: string }>
    assert.match(long?.message ?? "", /^m{4096}\[...5904 more bytes truncated\]$/)
    assert.include(long?.fields, "left out")
    assert.include(cyclic?.fields, "left out")
    assert.include(wide?.fields, "left out")
  })
})
