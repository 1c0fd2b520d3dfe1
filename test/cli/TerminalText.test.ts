import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { indentLines } from "../../src/cli/io/TerminalText.ts"

describe("indentLines", () => {
  it("keeps the lines of a traceback, indented", () => {
    assert.strictEqual(
      indentLines("Traceback:\n  File \"a.py\"\r\n\n\tpay()\nstate  success"),
      "    Traceback:\n      File \"a.py\"\n\n        pay()\n    state  success"
    )
  })

  it("leaves no line at the left edge and no control character, whatever the text", () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\v",
        "\f",
        "\u0085",
        "\u2028",
        "\u001b[2K\u001b[1G",
        "\b",
        "state "
      )
    })
    fc.assert(fc.property(hostile, (text) => {
      for (const line of indentLines(text).split("\n")) {
        assert.isTrue(line === "" || line.startsWith("    "))
        assert.notMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      }
    }))
  })
})
