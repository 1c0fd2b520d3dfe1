import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { goLetters, goStroke, keys, readStroke } from "../../web/src/keys/keys.ts"

const strokes: ReadonlyArray<string> = Object.values(keys).flatMap(({ strokes }) => strokes)

describe("the keys of the dashboard", () => {
  it("each mean one thing", () => {
    assert.strictEqual(new Set([...strokes, goStroke]).size, strokes.length + 1)
    const letters = Object.values(goLetters)
    assert.strictEqual(new Set(letters).size, letters.length)
    assert.deepStrictEqual(readStroke("r", false), { kind: "key", name: "retry" })
    assert.deepStrictEqual(readStroke("g", false), { kind: "begin" })
    assert.deepStrictEqual(readStroke("c", true), { kind: "go", page: "commands" })
    assert.isNull(readStroke("x", true))
    assert.isNull(readStroke("y", false))
  })

  it("are all in the documentation, and no others", () => {
    const page = readFileSync("docs/dashboard.md", "utf8")
    const [, table = ""] = /\| key \| does \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? []
    const documented = table.split("\n").flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, key = ""]) =>
        key === "Ctrl-K" ? "Mod+k" : row.includes("then") && key !== goStroke ? `${goStroke} ${key}` : key
      )
    )
    assert.deepStrictEqual(
      [...new Set(documented)].sort(),
      [...strokes, goStroke, ...Object.values(goLetters).map((letter) => `${goStroke} ${letter}`)].sort()
    )
  })
})
