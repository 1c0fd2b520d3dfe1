import { assert, describe, it } from "@effect/vitest"
import { hasIdPart, shortId } from "../../src/cli/io/ShortId.ts"
import { type Column, formatAge, formatTable, idColumn } from "../../src/cli/io/Table.ts"

interface Row {
  readonly state: string
  readonly name: string
  readonly queue: string | null
  readonly error: string | null
  readonly id: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "STATE", cell: ({ state }) => state },
  { head: "QUEUE", cell: ({ queue }) => queue, minLength: 8, dropRank: 1 },
  { head: "ERROR", cell: ({ error }) => error, minLength: 10, hidesEmpty: true },
  idColumn("ID", ({ id }) => id)
]

const id = "019ab0c1-6f1f-7c3e-9d55-2f6b1f0a7b11"
const row = (changes: Partial<Row> = {}): Row => ({
  state: "failure",
  name: "shop.mail.send_confirmation",
  queue: "mail.nightly",
  error: "ValueError: no such address",
  id,
  ...changes
})

const linesOf = (rows: ReadonlyArray<Row>, width: number): ReadonlyArray<string> =>
  formatTable(columns, rows, { nowMillis: 0, columns: width }).replace(/\u001b\[\d+m/g, "").split("\n")

describe("the tables of svc", () => {
  it("show names first and eight characters of ids, truncate errors, and leave out what is spare on narrow lines", () => {
    const lines = linesOf([row(), row({ state: "success", error: null })], 80)
    for (const line of lines) assert.isAtMost(line.length, 80)
    assert.match(lines[1] ?? "", /^shop\.mail\.\S*… +failure +mail\.n\S* +ValueError.*…  1f0a7b11$/)
    assert.match(linesOf([row()], 50)[1] ?? "", /^shop\.mail\S*… +failure +Value.*…  1f0a7b11$/)
  })

  it("shorten random ids to their last eight characters, which name them again, and leave others whole", () => {
    assert.strictEqual(shortId(id), "1f0a7b11")
    assert.strictEqual(shortId("9f2c41d07be5a836"), "7be5a836")
    for (const other of ["1598", "repeat:a1b2:1785000000000", "order-2026-000017"]) {
      assert.strictEqual(shortId(other), other)
    }
    for (const part of ["019ab0c1-6F1F", "1f0a7b11", "1f0a", "2f6b1f0a7b11", id]) {
      assert.isTrue(hasIdPart(id, part), part)
    }
    for (const part of ["019", "7c3e", "0a7b", "11", `${id}0`]) assert.isFalse(hasIdPart(id, part), part)
  })

  it("shows everything where a line has no end, and no column that nothing is in", () => {
    assert.deepStrictEqual(linesOf([row({ error: null })], Infinity), [
      `NAME                         STATE    QUEUE         ID`,
      `shop.mail.send_confirmation  failure  mail.nightly  ${id}`
    ])
    assert.include(linesOf([row()], Infinity)[1], "ValueError: no such address")
  })

  it("prints ages in their largest whole unit", () => {
    const at = "2026-11-22T10:00:00.000000Z"
    const ago = (seconds: number) => formatAge(at, { nowMillis: Date.parse(at) + seconds * 1000 })
    assert.deepStrictEqual([-5, 0, 59, 60, 3599, 3600, 86_399, 86_400, 604_800].map(ago), [
      "0s",
      "0s",
      "59s",
      "1m",
      "59m",
      "1h",
      "23h",
      "1d",
      "1w"
    ])
    assert.isNull(formatAge(null, { nowMillis: 0 }))
  })
})
