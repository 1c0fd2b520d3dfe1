import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { request, serverOn } from "./brain.ts"

const page = readFileSync(new URL("./contract.md", import.meta.url), "utf8")

/** The tests that the page names: at the end of a line, or of a table's row. */
const named = [...page.matchAll(/`(test\/[^`]+)` :: (.*?)(?: *\|)?$/gm)].map(([, file = "", title = ""]) => ({
  file,
  title: title.trim().replaceAll("\\|", "|")
}))

/** The titles of a file's tests, as they are in its source. */
const titlesOf = (file: string): ReadonlySet<string> =>
  new Set(
    [
      ...readFileSync(new URL(`../${file}`, import.meta.url), "utf8").matchAll(
        /\b(?:it|test|describe)(?:\.\w+)*(?:\([^)]*\))?\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g
      )
    ].map(([, , title = ""]) => title.replace(/\\(["'])/g, "$1"))
  )

describe("test/contract.md", () => {
  it("names tests that exist", () => {
    const titles = new Map<string, ReadonlySet<string>>()
    const missing = named.filter(({ file, title }) => {
      if (!existsSync(new URL(`../${file}`, import.meta.url))) return true
      const known = titles.get(file) ?? titlesOf(file)
      titles.set(file, known)
      return !known.has(title)
    })
    assert.deepStrictEqual(missing, [])
    assert.isAbove(named.length, 250)
  })
})

layer(serverOn("SQLite"), { excludeTestServices: true })("test/contract.md", (it) => {
  it.effect("has each operation of the API, and no other", () =>
    Effect.gen(function*() {
      const { json } = yield* request("GET", "/openapi.json")
      const document: { readonly paths: Readonly<Record<string, object>> } = json
      const inDocument = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
      )
      const onPage = [...page.matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)` *\|/gm)].map(([, route = ""]) =>
        route
      )
      assert.deepStrictEqual(onPage.toSorted(), inDocument.toSorted())
    }))
})
