import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { canonicalize } from "../../../src/domain/kernel/CanonicalJson.ts"
import { isTruncated, truncateValues } from "../../../src/domain/tasks/ValueTruncation.ts"

const most = 1024

const truncate = (data: Readonly<Record<string, string>>) => {
  const found = new Map<string, string>()
  truncateValues(new Map(Object.entries(data)), most).forEach((json, field) => found.set(field, json))
  return Object.fromEntries(found)
}

describe("a value to be stored", () => {
  it("stays as it is while it fits, to the byte", () => {
    const fits = `"${"é".repeat((most - 2) / 2)}"`
    assert.strictEqual(Buffer.byteLength(fits), most)
    const data = new Map([["args", "[12345678901234567890,1.0]"], ["result", fits], ["task_name", "x".repeat(5000)]])
    assert.strictEqual(truncateValues(data, most), data)
  })

  it("over the bound becomes canonical JSON that says what it was", () => {
    for (const field of ["args", "kwargs", "result"]) {
      const whole = JSON.stringify({ text: "\"\\é😀".repeat(400) })
      const truncated = truncate({ [field]: whole, queue: "\"mail\"" })
      const text = truncated[field]!
      const value = JSON.parse(text)
      assert.strictEqual(canonicalize(value), text)
      assert.deepStrictEqual({ ...value, begins: "" }, {
        begins: "",
        bytes: Buffer.byteLength(whole),
        svc_truncated: true
      })
      assert.isTrue(whole.startsWith(value.begins))
      assert.isAtMost(Buffer.byteLength(text), most)
      assert.isAbove(Buffer.byteLength(text), most - 8)
      assert.isTrue(isTruncated(text))
      assert.strictEqual(truncated["queue"], "\"mail\"")
    }
    for (const whole of ["{}", "[]", "{\"svc_truncated\":true}", "\"svc_truncated\"", "null"]) {
      assert.isFalse(isTruncated(whole))
    }
  })

  it("is never over the bound, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 200, maxLength: 3000 }), (value) => {
        const json = JSON.stringify(value.toWellFormed())
        const { result = "", traceback = "" } = truncate({ result: json, traceback: json })
        assert.isAtMost(Buffer.byteLength(result), most)
        assert.isAtMost(Buffer.byteLength(String(JSON.parse(traceback))), most)
        if (isTruncated(result)) assert.isTrue(json.startsWith(JSON.parse(result).begins))
      }),
      { numRuns: 50 }
    )
  })

  it("keeps both ends of a traceback, and half as much of an exception", () => {
    const text = `Traceback (most recent call last):\n${"  File \"é.py\"\n".repeat(500)}ValueError: last`
    const truncated = truncate({
      traceback: JSON.stringify(text),
      exception: JSON.stringify(text),
      exception_message: "7".repeat(2000)
    })
    for (const [field, bytes] of [["traceback", most], ["exception", most / 2]] as const) {
      const shown = String(JSON.parse(truncated[field]!))
      assert.isTrue(shown.startsWith("Traceback (most recent"))
      assert.isTrue(shown.endsWith("ValueError: last"))
      const left = Number(/\n\[svc cut (\d+) bytes here\]\n/.exec(shown)?.[1])
      assert.strictEqual(
        Buffer.byteLength(shown.replace(/\n\[svc cut \d+ bytes here\]\n/, "")) + left,
        Buffer.byteLength(text)
      )
      assert.isAtMost(Buffer.byteLength(shown), bytes)
      assert.notInclude(shown, "\ufffd")
    }
    assert.strictEqual(truncated["exception_message"], "null")
  })

  it("a text of broken characters is truncated as any other", () => {
    const text = `${"\ufffd".repeat(3000)}a`.repeat(10)
    const kept: string = JSON.parse(truncate({ traceback: JSON.stringify(text) })["traceback"]!)
    assert.match(kept, /^\n\[svc cut \d+ bytes here\]\na$/)
  })

  it("says how large tags were that are not stored", () => {
    const tags = JSON.stringify(Array.from({ length: 500 }, (_, index) => `tag ${index}`))
    assert.strictEqual(truncate({ tags })["tags"], `["[svc cut ${tags.length} bytes of tags]"]`)
  })
})
