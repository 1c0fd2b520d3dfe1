import { assert, describe, it } from "@effect/vitest"
import { type Column, formatAge, formatTable } from "../../src/cli/io/Table.ts"

interface Row {
  readonly state: string
  readonly name: string
  readonly queue: string | null
  readonly error: string | null
  readonly id: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { head: "STATE", cell: ({ state }) => state },
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "QUEUE", cell: ({ queue }) => queue, minLength: 8, dropRank: 1 },
  { head: "ERROR", cell: ({ error }) => error, minLength: 10, hidesEmpty: true },
  { head: "ID", cell: ({ id }) => id }
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
  it("truncates names and errors, leaves out what is spare, and keeps ids whole in 80 columns", () => {
    const lines = linesOf([row(), row({ state: "success", error: null })], 80)
    for (const line of lines) assert.isAtMost(line.length, 80)
    assert.match(lines[1] ?? "", new RegExp(`^failure  shop\\.mail\\.\\S*… +ValueError.*…  ${id}$`))
    assert.notInclude(lines[0], "QUEUE")
  })

  it("shows everything where a line has no end, and no column that nothing is in", () => {
    assert.deepStrictEqual(linesOf([row({ error: null })], Infinity), [
      `STATE    NAME                         QUEUE         ID`,
      `failure  shop.mail.send_confirmation  mail.nightly  ${id}`
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
