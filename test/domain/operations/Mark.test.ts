import { assert, describe, it } from "@effect/vitest"
import { Id } from "../../../src/domain/kernel/Id.ts"
import { fromEpochMicros } from "../../../src/domain/kernel/Timestamp.ts"
import { type Mark, mergeMarks } from "../../../src/domain/operations/Mark.ts"

const id = Id.make("0199c0de-0000-7000-8000-000000000000")

const markAt = (minute: number, fields: Partial<Mark> = {}): Mark => ({
  kind: "command",
  id,
  at: fromEpochMicros(minute * 60_000_000),
  until: null,
  title: "retry_task",
  detail: null,
  url: null,
  count: 1,
  ...fields
})

describe("mergeMarks", () => {
  it("makes one of those that are close together, and leaves other titles and kinds alone", () => {
    const rows = [
      markAt(100),
      markAt(99, { title: "purge_queue", detail: "mail" }),
      markAt(99, { count: 4 }),
      markAt(90),
      markAt(90, { kind: "rule" })
    ]
    assert.deepStrictEqual(
      mergeMarks(rows, 3_600_000).map(({ at, count, kind, title, until }) => [kind, title, count, at, until]),
      [
        ["command", "retry_task", 5, markAt(99).at, markAt(100).at],
        ["command", "purge_queue", 1, markAt(99).at, null],
        ["command", "retry_task", 1, markAt(90).at, null],
        ["rule", "retry_task", 1, markAt(90).at, null]
      ]
    )
  })

  it("merges more the longer the time is", () =>
    assert.lengthOf(mergeMarks([markAt(1000), markAt(900)], 90 * 86_400_000), 1))
})
