/** Schedules as code: the bodies of import and diff. */
import { Schema } from "effect"
import { describeBody, describeField } from "../../kernel/Describe.ts"
import { nullish, text } from "../../kernel/Text.ts"
import { CreateScheduleRequest, definitionFields } from "../Schedule.ts"

/** Most schedules of a snapshot (bodies: ImportSchedulesRequest). */
const maxImportedSchedules = 2000

/** The source of schedules that people create. No import owns them. */
export const dashboardSource = "dashboard"

const source = text(64, 1).pipe(
  Schema.filter((name) => name !== dashboardSource || `must not be ${dashboardSource}, which people's schedules have`)
)

export const ImportedSchedule = Schema.Struct({
  ...CreateScheduleRequest.fields,
  catch_up: describeField(
    Schema.optionalWith(definitionFields.catch_up, { default: () => "skip" as const }),
    "What happens with ticks that passed while nothing could fire them: nothing, the newest fires, or all fire.",
    "skip"
  ),
  source: describeField(
    Schema.optionalWith(source, { default: () => "imported" }),
    "Where the definition comes from; not `dashboard`.",
    "git"
  )
}).annotations(describeBody("ImportedSchedule", "A schedule as its source defines it."))

/** A schedule of a snapshot with its arguments as JSON text. */
export interface ImportedSchedule extends Omit<typeof ImportedSchedule.Type, "args" | "kwargs" | "overlap_policy"> {
  readonly args: string
  readonly kwargs: string
}

export const ImportSchedulesRequest = Schema.Struct({
  schedules: describeField(
    Schema.Array(ImportedSchedule).pipe(
      Schema.maxItems(maxImportedSchedules, { message: () => `must be at most ${maxImportedSchedules} schedules` })
    ),
    "All schedules of the source, at most 2000, each name once."
  ),
  mode: describeField(
    Schema.optionalWith(
      Schema.Literal("upsert", "replace").annotations({ message: () => "must be upsert or replace" }),
      { default: () => "upsert" as const }
    ),
    "`upsert` deletes nothing; `replace` deletes the schedules of `source_filter` that the snapshot lacks.",
    "replace"
  ),
  source_filter: describeField(
    nullish(source),
    "The source of all schedules of the snapshot; `replace` needs it.",
    "git"
  )
}).annotations(describeBody("ImportSchedulesRequest", "A snapshot of schedules."))

/** A snapshot with the arguments as JSON text. */
export interface ImportSchedules extends Omit<typeof ImportSchedulesRequest.Type, "schedules"> {
  readonly schedules: ReadonlyArray<ImportedSchedule>
}

const count = (description: string, example: number) => describeField(Schema.Int, description, example)

const counts = {
  inserted: count("Schedules that did not exist.", 1),
  updated: count("Schedules that differed, in the snapshot or by a person's change.", 2),
  unchanged: count("Schedules that were as the snapshot has them.", 40),
  deleted: count("Schedules of the source that the snapshot lacks, with `replace`.", 0)
}

const fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const ImportSchedulesResponse = Schema.Struct({
  ...counts,
  failed: count("Always 0: an import with an invalid schedule is refused as a whole.", 0),
  errors: describeField(fields, "Always empty: a refused import responds with 422.", {})
}).annotations(describeBody("ImportSchedulesResponse", "What an import wrote."))
export type ImportSchedulesResponse = typeof ImportSchedulesResponse.Type

const DiffEntry = Schema.Struct({
  name: describeField(Schema.String, "The schedule's name.", "nightly report"),
  scheduler: describeField(Schema.String, "The scheduler that fires it.", "svc-scheduler"),
  is_drifted: describeField(Schema.Boolean, "Whether a person has changed it since its import.", false),
  proposed: describeField(fields, "The fields that would change, as the snapshot has them.", {
    expression: "0 4 * * *"
  }),
  current: describeField(fields, "The same fields as they are.", { expression: "0 3 * * *" })
}).annotations(describeBody("ScheduleDiffEntry", "What an import would do with a schedule."))

const entries = (description: string) => describeField(Schema.Array(DiffEntry), description)

export const DiffSchedulesResponse = Schema.Struct({
  inserted: entries("Schedules that do not exist; `current` is empty."),
  updated: entries("Schedules that differ; both sides have the differing fields."),
  unchanged: entries("Schedules that are as the snapshot has them; both sides are empty."),
  deleted: entries("Schedules that `replace` would delete; `proposed` is empty."),
  summary: describeField(
    Schema.Struct(counts).annotations(describeBody("ScheduleDiffSummary", "How many schedules of each kind.")),
    "How many of each."
  )
}).annotations(describeBody("DiffSchedulesResponse", "What an import would do. Nothing was written."))
export type DiffSchedulesResponse = typeof DiffSchedulesResponse.Type
