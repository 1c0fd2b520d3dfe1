import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Cell } from "../../../../src/domain/kernel/Cell.ts"
import { csvFormat, escapeFormula } from "../../../../src/services/kernel/Export/Formats.ts"
import { cellsOfCsv } from "../../../http/tasks/Tasks/files.ts"

const print = (rows: ReadonlyArray<ReadonlyArray<Cell>>) => {
  const form = csvFormat<ReadonlyArray<Cell>>(
    ["one", "two"],
    (row) => row.map((cell) => typeof cell === "string" ? escapeFormula(cell) : cell)
  )
  return form.head + form.slice(rows, false)
}

/** As spreadsheets and Python read: quotes count at a cell's beginning, and what follows the closing one is plain. */
const quoted = (text: string, separator: string): ReadonlyArray<string> => {
  const cells: Array<string> = []
  let cell = ""
  let state: "begin" | "plain" | "quoted" = "begin"
  const end = () => {
    cells.push(cell)
    cell = ""
    state = "begin"
  }
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (state === "quoted") {
      if (char !== "\"") cell += char
      else if (text.charAt(index + 1) === "\"") cell += text.charAt(++index)
      else state = "plain"
    } else if (char === separator || char === "\n" || char === "\r") end()
    else if (state === "begin" && char === "\"") state = "quoted"
    else {
      cell += char
      state = "plain"
    }
  }
  end()
  return cells
}

/** A reader that knows no quotes at all, and takes them off the ends. */
const plain = (text: string, separator: string): ReadonlyArray<string> =>
  text.split(/[\r\n]/).flatMap((line) => line.split(separator)).map((cell) => cell.replace(/^"+|"+$/g, ""))

const runs = (cell: string): boolean => /^\s*[=+\-@＝＋－＠]/u.test(cell)

/** Comma readers know quotes, or no text with a comma would reach them whole. */
const formulasIn = (text: string): ReadonlyArray<string> =>
  [
    ...[",", ";", "\t"].flatMap((separator) => quoted(text, separator)),
    ...[";", "\t"].flatMap((separator) => plain(text, separator))
  ]
    .filter(runs)

describe("a csv file", () => {
  it("has every text in quotes, numbers and nulls without", () => {
    assert.strictEqual(
      print([["a", 7], [null, ""], ["x,\"y\"", "two\nlines"]]),
      "\"one\",\"two\"\r\n\"a\",7\r\n,\"\"\r\n\"x,\"\"y\"\"\",\"two\nlines\"\r\n"
    )
  })

  it.each([
    "=cmd()",
    "  =cmd()",
    "a;=cmd()",
    "a\t=cmd()",
    "a\n=cmd()",
    "a\r\n+cmd()",
    "a;\"=cmd()",
    "a;\"\"=cmd()\"",
    "a; =cmd()",
    "a;\t@cmd()",
    "\";=cmd()",
    "\"\t\"=cmd()",
    ";;;-cmd()",
    "；=cmd();＝cmd()"
  ])("is harmless to readers of commas, semicolons and tabs with %j in it", (text) => {
    assert.deepStrictEqual(formulasIn(print([[text, "plain"], ["plain", text]])), [])
  })

  it("is harmless with any text, and loses nothing of it but that apostrophes come in", () => {
    const cell = fc.string({
      unit: fc.constantFrom("=", "+", "-", "@", "＝", ";", ",", "\t", "\r", "\n", "\"", "'", " ", "a", "1"),
      maxLength: 12
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 4 }), (rows) => {
        const text = print(rows)
        assert.deepStrictEqual(formulasIn(text), [])
        const bare = (all: ReadonlyArray<ReadonlyArray<string>>) =>
          all.map((row) => row.map((one) => one.replaceAll("'", "")))
        assert.deepStrictEqual(bare(cellsOfCsv(text).slice(1)), bare(rows))
      }),
      { numRuns: 2000 }
    )
  })

  it("takes a long run of separators in one pass", () => {
    assert.strictEqual(
      print([["\t".repeat(1_000_000), 1]]).length,
      "\"one\",\"two\"\r\n".length + 1_000_000 + "\"'\",1\r\n".length
    )
  })
})
