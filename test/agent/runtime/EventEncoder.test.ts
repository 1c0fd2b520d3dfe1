import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { EngineEvent } from "../../../src/agent/runtime/Engine.ts"
import { EventEncoder } from "../../../src/agent/runtime/EventEncoder.ts"
import {
  canonicalize,
  CanonicalText,
  canonicalTextOf,
  parse,
  ParseFailure
} from "../../../src/domain/kernel/CanonicalJson.ts"
import * as Redaction from "../../../src/domain/kernel/Redaction.ts"
import { FrameRefusal } from "../../../src/protocol/Envelope.ts"
import { readEvent } from "../../../src/protocol/Event.ts"
import { decodeAgentFrame, encodeFrame, WireSession } from "../../../src/protocol/Frame.ts"
import { signingKey } from "../../../src/protocol/Signing.ts"

const now = 1_795_243_586_088
const capture = new EventEncoder(Redaction.make(["pin code"]), () => now)

const captured = (event: Partial<EngineEvent>) => {
  const text = capture.encode("memory", { kind: "task.received", taskId: "t1", occurredAt: now, data: {}, ...event })
  if (text === null) throw new Error("not captured")
  const node = parse(text)
  if (node instanceof ParseFailure) throw new Error(node.reason)
  assert.strictEqual(canonicalTextOf(node), text, "the text is not canonical, so its signature would not hold")
  return { text, node, json: JSON.parse(text) }
}

/** Data as hosts have it, whatever its type says. */
const dataOf = (args: unknown) => captured({ data: { args } as EngineEvent["data"] }).json.data.args

/** An array of holes. */
const holes = (length: number): Array<unknown> => Object.assign([], { length })

const odd: ReadonlyArray<unknown> = [
  // oxlint-disable-next-line eslint/no-sparse-arrays -- a hole is what the test is about
  [1, , 3],
  holes(3),
  undefined,
  Symbol("x"),
  () => 1,
  1n << 70n,
  -0,
  NaN,
  Infinity,
  new Date(NaN),
  new Map([[1, 2]]),
  new Set([1]),
  /x/,
  Buffer.from("x"),
  new Uint8Array(3),
  "\ud800",
  "nul \0",
  new Error("boom"),
  Object(1n),
  Object.create(null),
  globalThis,
  {
    get broken() {
      throw new Error("no")
    }
  },
  { toJSON: () => [1, , "\udc00"] }, // oxlint-disable-line no-sparse-arrays
  {
    toJSON: () => {
      throw new Error("no")
    }
  },
  { toJSON: () => undefined },
  {
    toJSON() {
      return this
    }
  },
  new Proxy([1, 2], { get: (_target, name) => name === "length" ? Infinity : 1 }),
  new Proxy([1, 2], { get: (_target, name) => name === "length" ? NaN : 1 }),
  new Proxy({}, {
    ownKeys: () => ["a", "b"],
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 1 })
  }),
  new Proxy({}, {
    getPrototypeOf: () => {
      throw new Error("no")
    }
  }),
  revoked(),
  new CanonicalText("[1,,3]"),
  new CanonicalText(`{"b":1,"a":1}`),
  new CanonicalText("[".repeat(100) + "]".repeat(100))
]

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

/** Names that are truncated, that UTF-8 cannot write, or that sort in another order once encoded, and a name's substitute. */
const oddNames = fc.oneof(
  fc.constantFrom("__proto__", "toJSON", "password", "\ud800", "\udc00", "\ufffd", "\ue000", "\u{10000}", "a\0", ""),
  fc.nat(3).map((n) => "k".repeat(300) + n),
  fc.nat(3).map((n) => "k".repeat(255) + "\u{10000}".repeat(n)),
  fc.string({ unit: "binary" })
)

/** Whatever a host may hand over, itself within itself too. */
const anything: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.nat(odd.length - 1).map((index) => [odd[index]]), // in an array, since fast-check cannot hold a revoked proxy
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true
    }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(oddNames, tie("value"), { maxKeys: 6 }),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => {
      items.push(items)
      return items
    })
  )
})).value

/** Whether a brain takes the texts in one signed frame, and each for an event. */
const brainTakes = (texts: ReadonlyArray<string>): boolean => {
  const wire = () => new WireSession(signingKey(Buffer.alloc(32, 1)), { agentId: "a", projectId: "p", sessionId: "s" })
  const text = encodeFrame("event_batch", "ev_1", { events: [new CanonicalText(texts.join(","))] }, wire(), now)
  const frame = decodeAgentFrame(text, wire(), now)
  if (frame instanceof FrameRefusal) throw new Error(frame.reason)
  return frame.type === "event_batch" && frame.payload.events.length === texts.length &&
    frame.payload.events.every((node) => typeof readEvent(node, now) !== "string")
}

describe("an event as it is stored", () => {
  it("is one that the brain reads", () => {
    const { node } = captured({
      occurredAt: now + 0.125,
      data: {
        task_name: "shop.pay",
        args: [1, 1.5, 12345678901234567890n, "ä\u{10000}\u{e000}"],
        "\u{e000}": 1,
        "\u{10000}": 2
      }
    })
    const read = readEvent(node, now)
    if (typeof read === "string") throw new Error(read)
    assert.strictEqual(
      [read.kind, read.engine, read.taskId, read.occurredAt].join(" "),
      "task.received memory t1 2026-11-21T06:46:26.088125Z"
    )
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

  it("truncates strings over 8192 bytes between characters, and after the search for secrets", () => {
    assert.strictEqual(dataOf("x".repeat(8192)), "x".repeat(8192))
    assert.strictEqual(dataOf("x".repeat(8200)), `${"x".repeat(8192)}[...8 more bytes truncated]`)
    const truncated = dataOf("ä".repeat(5000))
    assert.strictEqual(truncated, `${"ä".repeat(4096)}[...1808 more bytes truncated]`)
    const shifted: string = dataOf("a" + "ä".repeat(5000))
    assert.isTrue(shifted.startsWith("a" + "ä".repeat(4095) + "["), "half a character was left")
    const url = `${"x".repeat(8175)} amqp://shop:hunter2@queue/`
    assert.notInclude(dataOf(url), "hunter2")
  })

  it("leaves out a field that is too long, at no great price", () => {
    assert.match(dataOf(Array.from({ length: 1_000_000 }, (_, n) => n)), /left out/)
    for (const empty of [holes(1_000_000), holes(1_000_000).fill(undefined)]) assert.match(dataOf(empty), /left out/)
    assert.match(
      dataOf(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`n${n}`, undefined]))),
      /left out/
    )
    assert.strictEqual(captured({ data: { args: ["x".repeat(9_000_000)], queue: "q" } }).json.data.queue, "q")
  })

  it("takes whatever a host has in it", () => {
    const circle: Record<string, unknown> = { name: "loop" }
    circle.self = circle
    let deep: unknown = 1
    for (let level = 0; level < 200; level++) deep = [deep]
    assert.deepStrictEqual(dataOf(circle), { name: "loop", self: "[REDACTED]" })
    assert.include(JSON.stringify(dataOf(deep)), "[REDACTED]")
    assert.deepStrictEqual(dataOf([undefined, () => 1, Symbol("x"), NaN, new Date(0)]), [
      null,
      null,
      null,
      null,
      "1970-01-01T00:00:00.000Z"
    ])
    assert.strictEqual(dataOf(new Error("boom")), "Error: boom")
    assert.strictEqual(dataOf("half a pair \ud800"), "half a pair \ufffd")
    assert.strictEqual(
      dataOf({
        get broken() {
          throw new Error("no")
        }
      }),
      "[cannot be read]"
    )
    const twice = { a: 1 }
    assert.deepStrictEqual(dataOf([twice, twice]), [twice, twice], "the same object twice is no circle")
  })

  it("encodes holes as null, and keeps truncated names distinct", () => {
    assert.deepStrictEqual(dataOf([1, , 3]), [1, null, 3]) // oxlint-disable-line no-sparse-arrays
    const members = Object.entries<string>(
      dataOf({ [`${"k".repeat(300)}1`]: "a", [`${"k".repeat(300)}2`]: "b", "\ud800": 3, "\ue000": 4 })
    )
    assert.deepStrictEqual(members.map(([name, value]) => [name.length, value]), [
      [270, "[REDACTED]"],
      [270, "[REDACTED]"],
      [1, 4],
      [15, 3]
    ])
  })

  it("is one that the brain takes, whatever it was made of", () => {
    fc.assert(
      fc.property(anything, oddNames, fc.string({ unit: "binary" }), (value, name, taskId) => {
        const id = `t${taskId.replaceAll("\0", "")}` // PostgreSQL takes no NUL in an id
        const text = captured({ taskId: id, data: { args: value, [name]: value } as EngineEvent["data"] }).text
        assert.isTrue(brainTakes([text, text]))
      }),
      { numRuns: 500 }
    )
    for (const value of odd) {
      assert.isTrue(brainTakes([captured({ data: { args: value } as EngineEvent["data"] }).text]))
    }
  })

  it("is canonical for any plain value", () => {
    const value = { b: [true, null, -0, 1e21, 1e-7, 0.1], a: { "z": "\u2028\u007f\"\\\n", "": "" } }
    assert.include(captured({ data: { args: value } }).text, canonicalize(value))
  })

  it("has a sane time, and a task id of at most 200 characters that stays distinct and says that it was truncated", () => {
    const read = (taskId: string) => {
      const { node } = captured({ occurredAt: NaN, taskId })
      const event = readEvent(node, now)
      if (typeof event === "string") throw new Error(event)
      const fields = new Map<string, string>()
      event.data.forEach((json, field) => fields.set(field, json))
      return { ...event, fields }
    }
    const [one, other] = [read("x".repeat(300)), read("x".repeat(301))]
    assert.strictEqual(one.occurredAt, "2026-11-21T06:46:26.088000Z")
    assert.match(one.taskId, /^x{186}\[[\da-f]{12}\]$/)
    assert.notStrictEqual(one.taskId, other.taskId)
    assert.strictEqual(one.fields.get("svc_altered"), "[\"task_id\"]")
    assert.isFalse(read("x".repeat(200)).fields.has("svc_altered"))
  })

  it("is refused without a throw where there is none", () => {
    // what code without types may hand over
    assert.isNull(
      capture.encode("memory", { kind: "task.received", taskId: undefined, data: null } as unknown as EngineEvent)
    )
    for (const kind of [`task."received"`, "task.begun", undefined]) {
      assert.isNull(
        capture.encode("memory", { kind, taskId: "t1", occurredAt: now, data: {} } as unknown as EngineEvent)
      )
    }
  })
})
