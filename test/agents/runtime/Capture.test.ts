import { assert, describe, it } from "@effect/vitest"
import { readEvent } from "../../../src/agents/protocol/Event.ts"
import { Capture } from "../../../src/agents/runtime/Capture.ts"
import type { EngineEvent } from "../../../src/agents/runtime/Engine.ts"
import { canonical, canonicalize, JsonObject, parse, ParseFailure } from "../../../src/domain/CanonicalJson.ts"
import * as Redaction from "../../../src/domain/Redaction.ts"

const now = 1_795_243_586_088
const capture = new Capture(Redaction.make(["pin code"]), () => now)

const captured = (event: Partial<EngineEvent>) => {
  const text = capture.event("memory", { kind: "task.received", taskId: "t1", occurredAt: now, data: {}, ...event })
  if (text === null) throw new Error("not captured")
  const node = parse(text)
  if (node instanceof ParseFailure) throw new Error(node.reason)
  assert.strictEqual(canonical(node), text, "the text is not canonical, so its signature would not hold")
  return { text, node, json: JSON.parse(text) }
}

/** Data as hosts have it, whatever its type says. */
const dataOf = (args: unknown) => captured({ data: { args } as EngineEvent["data"] }).json.data.args

describe("an event as it is stored", () => {
  it("is one that the brain reads", () => {
    const { node } = captured({ occurredAt: now + 0.125, data: { task_name: "shop.pay", args: [1, 1.5, 12345678901234567890n, "ä\u{10000}\u{e000}"], "\u{e000}": 1, "\u{10000}": 2 } })
    const read = readEvent(node)
    if (typeof read === "string") throw new Error(read)
    assert.strictEqual([read.kind, read.engine, read.taskId, read.occurredAt].join(" "), "task.received memory t1 2026-11-21T06:46:26.088125Z")
    const fields = new Map<string, string>()
    read.data.forEach((json, field) => fields.set(field, json))
    assert.strictEqual(fields.get("args"), `[1,1.5,12345678901234567890,"ä\u{10000}\u{e000}"]`)
  })

  it("has no secrets in it", () => {
    const { text } = captured({
      data: {
        args: [{ password: "hunter2", pinCode: "4711", token_count: 3 }, "postgres://shop:hunter2@db/shop"],
        exception: "Error: Authorization: Bearer abcdefghijklmnopqrstuvwx was refused"
      }
    })
    for (const secret of ["hunter2", "4711", "abcdefghijklmnop"]) assert.notInclude(text, secret)
    assert.include(text, `"token_count":3`)
    assert.include(text, `postgres://[REDACTED]@db/shop`)
  })

  it("cuts strings over 8192 bytes without cutting characters, and after it has looked for secrets", () => {
    assert.strictEqual(dataOf("x".repeat(8192)), "x".repeat(8192))
    assert.strictEqual(dataOf("x".repeat(8200)), `${"x".repeat(8192)}[...8 more bytes truncated]`)
    const cut = dataOf("ä".repeat(5000))
    assert.strictEqual(cut, `${"ä".repeat(4096)}[...1808 more bytes truncated]`)
    const shifted: string = dataOf("a" + "ä".repeat(5000))
    assert.isTrue(shifted.startsWith("a" + "ä".repeat(4095) + "["), "half a character was left")
    const url = `${"x".repeat(8175)} amqp://shop:hunter2@queue/`
    assert.notInclude(dataOf(url), "hunter2")
  })

  it("leaves out a field that is too long, at no great price", () => {
    assert.match(dataOf(Array.from({ length: 1_000_000 }, (_, n) => n)), /left out/)
    assert.strictEqual(captured({ data: { args: ["x".repeat(9_000_000)], queue: "q" } }).json.data.queue, "q")
  })

  it("takes whatever a host has in it", () => {
    const circle: Record<string, unknown> = { name: "loop" }
    circle.self = circle
    let deep: unknown = 1
    for (let level = 0; level < 200; level++) deep = [deep]
    assert.deepStrictEqual(dataOf(circle), { name: "loop", self: "[REDACTED]" })
    assert.include(JSON.stringify(dataOf(deep)), "[REDACTED]")
    assert.deepStrictEqual(dataOf([undefined, () => 1, Symbol("x"), NaN, new Date(0)]), [null, null, null, null, "1970-01-01T00:00:00.000Z"])
    assert.strictEqual(dataOf(new Error("boom")), "Error: boom")
    assert.strictEqual(dataOf("half a pair \ud800"), "half a pair \ufffd")
    assert.strictEqual(dataOf({ get broken() { throw new Error("no") } }), "[cannot be read]")
    const twice = { a: 1 }
    assert.deepStrictEqual(dataOf([twice, twice]), [twice, twice], "the same object twice is no circle")
  })

  it("is canonical for any plain value", () => {
    const value = { b: [true, null, -0, 1e21, 1e-7, 0.1], a: { "z": "\u2028\u007f\"\\\n", "": "" } }
    assert.include(captured({ data: { args: value } }).text, canonicalize(value))
  })

  it("has a sane time and a task id of at most 200 characters", () => {
    const { node } = captured({ occurredAt: NaN, taskId: "x".repeat(300) })
    if (!(node instanceof JsonObject)) throw new Error("no object")
    assert.strictEqual(JSON.parse(canonical(node)).occurred_at, "2026-11-21T06:46:26.088000Z")
    assert.notStrictEqual(typeof readEvent(node), "string")
  })

  it("is refused without a throw where there is none", () => {
    // what code without types may hand over
    assert.isNull(capture.event("memory", { kind: "task.received", taskId: undefined, data: null } as unknown as EngineEvent))
    for (const kind of [`task."received"`, "task.begun", undefined]) {
      assert.isNull(capture.event("memory", { kind, taskId: "t1", occurredAt: now, data: {} } as unknown as EngineEvent))
    }
  })
})
