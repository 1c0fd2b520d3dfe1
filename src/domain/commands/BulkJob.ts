import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { BulkJobId, ProjectId, UserId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { TaskState } from "../kernel/TaskState.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { addQuery, filterFields, type FilterTerms, type TaskFilter, toTaskFilter } from "../tasks/Task/Filter.ts"
import { isEndState } from "./Command/Note.ts"

/** Durable bulk jobs (docs/bulk-jobs.md): all tasks of a filter are deleted or cancelled, in slices. */

export const BulkJobAction = Schema.Literal("delete", "cancel")
export type BulkJobAction = typeof BulkJobAction.Type

/** The body of both creations. Unknown fields are refused: without a misspelt filter more tasks would match. */
export const BulkJobFilter = Schema.Struct(filterFields).annotations({ description: "At least one term." }).pipe(
  Schema.filter((terms) => Object.values(terms).some((term) => term !== null) || "send at least one filter")
).annotations({
  ...describeBody("BulkJobFilter", "Which tasks: at least one term. All of them must match."),
  parseOptions: { onExcessProperty: "error" }
})
export type BulkJobFilter = typeof BulkJobFilter.Type

/** The states of tasks that can be cancelled. */
const openStates = TaskState.literals.filter((state) => !isEndState(state))

/** The tasks of a job: those that have not ended where they are cancelled. Ages of the query count from its creation. */
export const tasksOf = (action: BulkJobAction, terms: FilterTerms, createdAt: Timestamp): TaskFilter => {
  const filter = toTaskFilter(terms, createdAt)
  return action === "delete" ? filter : addQuery(filter, { kind: "state", values: openStates })
}

/** `running` until no task is left and no command is open; the others are final. */
export const BulkJobStatus = Schema.Literal("running", "completed", "stopped")

export const BulkJobOutcomes = Schema.Struct({
  pending: describeField(Schema.NonNegativeInt, "Commands without an outcome.", 100),
  succeeded: describeField(Schema.NonNegativeInt, "The agent has confirmed the cancellation.", 1100),
  failed: describeField(Schema.NonNegativeInt, "The agent refused or failed, or the command was never sent.", 3),
  unknown: describeField(Schema.NonNegativeInt, "Sent, and whether it was executed is not known.", 0)
}).annotations(describeBody("BulkJobOutcomes", "Commands of a bulk job, by how they came out."))
export type BulkJobOutcomes = typeof BulkJobOutcomes.Type

export const BulkJob = Schema.Struct({
  id: describeField(BulkJobId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  act: describeField(BulkJobAction, "What happens to the tasks.", "cancel"),
  filter: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "The terms that were given; of `task_ids` the number. `filter_until` is at most the time of creation.",
    { filter_queue: "default", filter_until: exampleTime }
  ),
  status: describeField(BulkJobStatus, "`running` until nothing is left to do.", "running"),
  total: describeField(
    Schema.NullOr(Schema.NonNegativeInt),
    "Tasks that matched at the creation; null: too many to be counted.",
    4213
  ),
  done: describeField(Schema.NonNegativeInt, "Tasks that were deleted, or whose cancellation was commanded.", 1203),
  skipped: describeField(
    Schema.NonNegativeInt,
    "Skipped: they no longer matched when the job reached them, were deleted, or no agent connected before the deadline.",
    2
  ),
  outcomes: describeField(
    Schema.NullOr(BulkJobOutcomes),
    "How the commands of a cancellation came out; null: a deletion.",
    { pending: 100, succeeded: 1100, failed: 3, unknown: 0 }
  ),
  note: describeField(Schema.NullOr(Schema.String), "What it waits for; null: nothing.", null),
  created_by: describeField(Schema.NullOr(UserId), "The user who asked for it; null: the program.", exampleId),
  created_by_name: describeField(
    Schema.NullOr(Schema.String),
    "The name that this person shows to others; null: none, or neither a member of the project nor a global admin.",
    "Ada Lovelace"
  ),
  created_at: describeField(Timestamp, "When it was asked for.", exampleTime),
  deadline_at: describeField(
    Timestamp,
    "A cancellation waits for agents until then, and skips what is left.",
    exampleTime
  ),
  finished_at: describeField(Schema.NullOr(Timestamp), "When it ended or was stopped; null: it runs.", null)
}).annotations(describeBody("BulkJob", "All tasks of a filter that are being deleted or cancelled."))
export type BulkJob = typeof BulkJob.Type

export const BulkJobList = Page(BulkJob).annotations(describeBody("BulkJobList", "A page of bulk jobs."))
