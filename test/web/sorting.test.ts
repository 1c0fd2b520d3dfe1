import { assert, describe, it } from "@effect/vitest"
import { hasWords, nextSort, sortRows } from "../../web/src/ui/sorting.ts"

const rows = [
  { name: "mail", depth: 3 },
  { name: "w10", depth: null },
  { name: "w9", depth: 12 },
  { name: "Box", depth: 3 }
]
const byName = { key: "name", valueOf: ({ name }: (typeof rows)[number]) => name }
const byDepth = { key: "depth", valueOf: ({ depth }: (typeof rows)[number]) => depth, isLargestFirst: true }
const namesBy = (sort: string | undefined) => sortRows(rows, [byName, byDepth], sort).map(({ name }) => name)

describe("the order of a list", () => {
  it("is that of a column, with rows without a value last in both directions", () => {
    assert.deepStrictEqual(namesBy("-depth"), ["w9", "mail", "Box", "w10"])
    assert.deepStrictEqual(namesBy("depth"), ["mail", "Box", "w9", "w10"])
  })

  it("takes digits in names for numbers, and letters in any case", () => {
    assert.deepStrictEqual(namesBy("name"), ["Box", "mail", "w9", "w10"])
  })

  it("stays where the address names no column", () => {
    assert.deepStrictEqual(namesBy("colour"), namesBy(undefined))
  })

  it("is reversed by a further press of the head, and begins with the largest number", () => {
    assert.deepStrictEqual([nextSort(byName, undefined), nextSort(byName, "name")], ["name", "-name"])
    assert.deepStrictEqual([nextSort(byDepth, "name"), nextSort(byDepth, "-depth")], ["-depth", "depth"])
  })
})

describe("the filter of a list", () => {
  it("finds rows that have each word, in any of their texts", () => {
    assert.isTrue(hasWords("CEL mail", ["mail.slow", "celery", null]))
    assert.isFalse(hasWords("mail rq", ["mail.slow", "celery", null]))
  })
})
