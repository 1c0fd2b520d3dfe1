/** Tasks as the cells of a table: for csv and xlsx. */
import { type Cell, type TaskRow } from "../../domain/Task/Json.ts"
import { type TaskField, taskFields } from "../../domain/Task.ts"

/** What a spreadsheet takes for a formula or swallows: = + - @ (also their wide forms) and control characters. */
const risky = /^[=+\-@＝＋－＠\p{Cc}]/u

/** Text that a spreadsheet shows and never runs: an apostrophe goes before a risky beginning. */
export const harmless = (text: string): string => (risky.test(text) ? `'${text}` : text)

/** Picks the cells of these fields. Numbers stay numbers; args, kwargs, result and tags are their JSON text. */
export const cellsOf = (fields: ReadonlyArray<TaskField>): (row: TaskRow) => ReadonlyArray<Cell> => {
  const places = fields.map((field) => taskFields.indexOf(field))
  return (row) =>
    places.map((place) => {
      const cell = row[place] ?? null
      return typeof cell === "string" ? harmless(cell) : cell
    })
}
