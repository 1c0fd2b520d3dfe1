/** Tasks as the cells of a table: for csv and xlsx. */
import type { Cell } from "../../domain/kernel/Cell.ts"
import { type TaskField, taskFields } from "../../domain/tasks/Task.ts"
import type { TaskRow } from "../../domain/tasks/Task/Json.ts"
import { escapeFormula } from "../kernel/Export/Formats.ts"

/** Picks the cells of these fields. Numbers stay numbers; args, kwargs, result and tags are their JSON text. */
export const cellsOf = (fields: ReadonlyArray<TaskField>): (row: TaskRow) => ReadonlyArray<Cell> => {
  const places = fields.map((field) => taskFields.indexOf(field))
  return (row) =>
    places.map((place) => {
      const cell = row[place] ?? null
      return typeof cell === "string" ? escapeFormula(cell) : cell
    })
}
