import { Schema } from "effect"
import { ExportJobFormat } from "../../audit/ExportJob.ts"
import { describeBody, describeField } from "../../kernel/Describe.ts"
import { nullish } from "../../kernel/Text.ts"
import { taskFields } from "../Task.ts"
import { filterFields } from "./Filter.ts"

/** The columns of a file of tasks, and their order. */
export const exportedTaskFields = describeField(
  nullish(
    Schema.Array(Schema.Literal(...taskFields)).pipe(Schema.minItems(1), Schema.maxItems(50))
  ),
  "The columns and their order; all of them when absent.",
  ["name", "state"]
)

/** The terms are those of bulk jobs. Unknown fields are refused: without a misspelt filter more tasks would match. */
export const TaskExportJobCreate = Schema.Struct({
  format: describeField(ExportJobFormat, "The kind of file.", "csv"),
  fields: exportedTaskFields,
  ...filterFields
}).annotations({
  ...describeBody("TaskExportJobCreate", "An export of the tasks that match all terms; of all tasks without one."),
  parseOptions: { onExcessProperty: "error" }
})
export type TaskExportJobCreate = typeof TaskExportJobCreate.Type

/** The file of an export of tasks with the format json. */
export const ExportedTasks = Schema.Array(
  Schema.Struct({
    name: describeField(
      Schema.optional(Schema.String),
      "The task's name; further members as `fields` names them.",
      "shop.pay"
    )
  })
).annotations(describeBody("ExportedTasks", "All tasks, newest first, with the members that `fields` names."))
