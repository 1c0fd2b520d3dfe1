import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { EventEncoder } from "../../../src/agent/runtime/EventEncoder.ts"
import { canonicalize, type JsonInput, JsonObject, parse } from "../../../src/domain/kernel/CanonicalJson.ts"
import * as Redaction from "../../../src/domain/kernel/Redaction.ts"
import { describeLoss } from "../../../src/domain/tasks/LossyCopy.ts"
import { truncateValues } from "../../../src/domain/tasks/ValueTruncation.ts"
import { isLossyCopy } from "../../../web/src/format/lossyCopy.ts"

/** Copies that lack a part of a value. */
const lossy: ReadonlyArray<JsonInput> = [
  "[REDACTED]",
  "postgres://[REDACTED]@db/shop",
  `${"x".repeat(100)}[...1808 more bytes truncated]`,
  `${"x".repeat(100)}…[1808 more bytes truncated]`,
  { begins: "{\"file\":\"JVB", bytes: 1_048_613, svc_truncated: true },
  "head\n[svc cut 790000 bytes here]\ntail",
  "[more than 65536 characters: left out]",
  "[more than 5000 values: left out]",
  "[more than 100000 values in one message: left out]",
  "[an object of more than 1000 keys: left out]",
  "[cannot be read]",
  `('${"a".repeat(100)}...', ...)`,
  `{'file': '${"a".repeat(100)}...'}`,
  `("it's ${"a".repeat(100)}...", ...)`,
  "{'nested': [...]}",
  "({'a': {'b': {...}}}, 5)",
  "({'a': {'b': {...}}},)",
  "{'a': [[[...]]], 'b': 2}",
  "[[[[...]]], 2]",
  "Ellipsis",
  "{Ellipsis}"
]

/** Values that merely look like one. */
const whole: ReadonlyArray<JsonInput> = [
  "...",
  "to be continued...",
  "(and so on...)",
  "left out",
  { svc_truncated: false },
  { truncated: true },
  "\"svc_truncated\":true",
  "[redacted]",
  "3 bytes truncated",
  ["a", "...", 1],
  "see [...], please",
  "(see the note)",
  { Ellipsis: 1 }
]

const within: ReadonlyArray<(value: JsonInput) => JsonInput> = [
  (value) => [value],
  (value) => ({ a: [1, { b: [value] }] })
]

const isLossy = (value: JsonInput) => {
  const text = canonicalize(value)
  const found = describeLoss(text) !== null
  assert.strictEqual(isLossyCopy(text), found, `the dashboard: ${text}`)
  const pretty = JSON.stringify(JSON.parse(text), null, 2)
  assert.strictEqual(isLossyCopy(pretty), found, `the dashboard, as a person sees it: ${pretty}`)
  return found
}

describe("describeLoss", () => {
  it.each(lossy)("finds the mark of %j at any depth, and so does the dashboard", (value) => {
    for (const wrap of within) assert.isTrue(isLossy(wrap(value)))
  })

  it.each(whole)("takes %j for a value, and so does the dashboard", (value) => {
    for (const wrap of within) assert.isFalse(isLossy(wrap(value)))
  })

  it("finds what the agent's encoder and the brain's bound leave of large values", () => {
    const encoder = new EventEncoder(Redaction.make([]), () => 0)
    const large = [
      "x".repeat(9000),
      Array.from({ length: 6000 }, () => 1),
      Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, 1])),
      Array.from({ length: 20 }, () => "y".repeat(8000))
    ]
    for (const kwargs of large) {
      const data = { kwargs: { a: kwargs } }
      const event = parse(encoder.encode("bullmq", { kind: "task.received", taskId: "t", occurredAt: 1, data }) ?? "")
      assert.instanceOf(event, JsonObject)
      const sent = event.get("data")
      assert.instanceOf(sent, JsonObject)
      assert.isNotNull(describeLoss(sent.text))
    }
    truncateValues(new Map([["kwargs", canonicalize({ a: "x".repeat(5000) })]]), 1024).forEach((json) => {
      assert.isNotNull(describeLoss(json))
    })
  })

  it("takes any value without a mark", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      assert.isFalse(isLossy([value]))
    }))
  })

  it("reads a hostile text in linear time", () => {
    const hostile = [
      "\"" + "(".repeat(65_000),
      "\"[" + "...',".repeat(13_000),
      "\"" + "\\\"(".repeat(20_000),
      "9".repeat(65_000)
    ]
    for (const text of hostile) {
      assert.isNull(describeLoss(text))
    }
  })
})
