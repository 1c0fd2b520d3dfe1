/** Operations on schedules of engines' schedulers (bodies: ExternalScheduleControlOperationPublic, NativeSchedule…). */
import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import type { Issue } from "../../kernel/Errors.ts"
import { AgentId, caseInsensitiveId, CommandId, Id, IdInput, ScheduleId, ScheduleOperationId } from "../../kernel/Id.ts"
import { nullish, text } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { lossIssues } from "../../tasks/LossyCopy.ts"

/** What can be done with a schedule of an engine's own scheduler. */
export const operationNames = ["enable", "disable", "create", "update", "delete", "trigger"] as const
export const OperationName = Schema.Literal(...operationNames)
export type OperationName = typeof OperationName.Type

/**
 * How far an operation is.
 *
 * - pending: its command waits to be sent
 * - sent: its command was sent to the agent
 * - accepted: the agent has done it; no publication of the agent has shown it yet
 * - succeeded: the agent has done it, and published its effect where it has one
 * - failed: the schedule is as it was
 * - indeterminate: it may have been done. The next snapshot decides, except for a trigger
 * - expired: its command was never sent
 */
export const operationStatuses = [
  "pending",
  "sent",
  "accepted",
  "succeeded",
  "failed",
  "indeterminate",
  "expired"
] as const
export const OperationStatus = Schema.Literal(...operationStatuses)
export type OperationStatus = typeof OperationStatus.Type

const outcomeFields = {
  operation: describeField(OperationName, "The requested operation.", "disable"),
  status: describeField(OperationStatus, "How far it is.", "succeeded"),
  error: describeField(Schema.NullOr(Schema.String), "Why it failed, or why its outcome is unknown.", null)
}

/** An operation on one schedule. */
export const ControlOperationPublic = Schema.Struct({
  id: describeField(ScheduleOperationId, "Its id.", exampleId),
  schedule_id: describeField(ScheduleId, "The schedule's id.", exampleId),
  command_id: describeField(CommandId, "The command to the agent.", exampleId),
  stream_id: describeField(Id, "The stream in which the agent publishes the schedule.", exampleId),
  epoch_uuid: describeField(Id, "The epoch of the stream.", exampleId),
  epoch_number: describeField(Schema.Int, "The number of the epoch.", 3),
  source_key: describeField(Schema.String, "The schedule's id at its scheduler.", "dcb:7"),
  ...outcomeFields,
  expected_accepted_sequence: describeField(
    Schema.Int,
    "The publication that the caller's view is from; the agent refuses to change a schedule that differs from it.",
    12
  ),
  reserved_sequence: describeField(
    Schema.NullOr(Schema.Int),
    "The publication that shows the effect, as the agent reports it; null: the agent has not reported it.",
    13
  ),
  desired_is_enabled: describeField(Schema.Boolean, "Whether the schedule is to be enabled.", false),
  result_projection_id: describeField(
    Schema.NullOr(Id),
    "Follows from epoch and sequence of the publication that showed the effect; null: none has.",
    exampleId
  ),
  created_at: describeField(Timestamp, "When it was requested.", exampleTime),
  updated_at: describeField(Timestamp, "When its status last changed.", exampleTime)
}).annotations(
  describeBody("ExternalScheduleControlOperation", "An operation on a schedule of an engine's own scheduler.")
)
export type ControlOperationPublic = typeof ControlOperationPublic.Type

export const NativeOperationPublic = Schema.Struct({
  id: describeField(ScheduleOperationId, "Its id.", exampleId),
  schedule_id: describeField(
    Schema.NullOr(ScheduleId),
    "The schedule's id; null: one that is being created has none yet.",
    exampleId
  ),
  command_id: describeField(CommandId, "The command to the agent.", exampleId),
  ...outcomeFields,
  created_at: describeField(Timestamp, "When it was requested.", exampleTime),
  updated_at: describeField(Timestamp, "When its status last changed.", exampleTime)
}).annotations(describeBody("NativeScheduleOperation", "A change of a schedule at an engine's own scheduler."))
export type NativeOperationPublic = typeof NativeOperationPublic.Type

/** Bytes of a definition, serialized. */
const maxDefinitionBytes = 196_608

/** The fields of a schedule that its scheduler changes (agents' protocol, section 6.4). */
export const definitionNames = [
  "name",
  "task_name",
  "kind",
  "expression",
  "timezone",
  "queue",
  "args",
  "kwargs",
  "is_enabled"
] as const

/** What a scheduler cannot create a schedule without. */
const requiredNames = ["name", "task_name", "kind", "expression"] as const

const Definition = Schema.Struct({
  name: describeField(Schema.optional(text(200, 1)), "Its name.", "nightly report"),
  task_name: describeField(Schema.optional(text(500, 1)), "The task that it submits.", "shop.report"),
  kind: describeField(Schema.optional(text(40, 1)), "`cron`, `interval` or `clocked`.", "cron"),
  expression: describeField(
    Schema.optional(text(1024, 1)),
    "When it fires, as its scheduler understands it; an interval in seconds.",
    "0 3 * * *"
  ),
  timezone: describeField(Schema.optional(text(64, 1)), "The time zone of the expression.", "Europe/Berlin"),
  queue: describeField(
    Schema.optional(Schema.NullOr(text(200))),
    "The queue of its tasks; null: the task's own.",
    "reports"
  ),
  args: describeField(Schema.optional(Schema.Array(Schema.Unknown)), "Positional arguments of its tasks.", [42]),
  kwargs: describeField(
    Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    "Named arguments of its tasks.",
    { currency: "EUR" }
  ),
  is_enabled: describeField(Schema.optional(Schema.Boolean), "Whether it fires.", true)
}).annotations({
  ...describeBody("NativeScheduleDefinition", "Fields of a schedule at an engine's own scheduler."),
  parseOptions: { onExcessProperty: "error" } // a misspelt field would leave the schedule as it is, without a word
})

export const NativeOperationRequest = Schema.Struct({
  request_id: describeField(IdInput, "The caller's id of the request: a repetition has the same operation.", exampleId),
  scheduler: describeField(text(40, 1), "The scheduler that owns the schedule.", "celery-beat"),
  operation: describeField(
    Schema.Literal("create", "update", "delete", "trigger").annotations({
      message: () => "must be create, update, delete or trigger"
    }),
    "What to do.",
    "update"
  ),
  schedule_id: describeField(
    nullish(caseInsensitiveId(ScheduleId)),
    "The schedule; required but for a creation.",
    exampleId
  ),
  observed_control_token: describeField(
    nullish(IdInput),
    "The schedule's `control_token` as the caller saw it; a schedule with another one has changed, and the request is refused.",
    exampleId
  ),
  definition: describeField(
    nullish(Definition),
    "What to create, or the fields to change. Absent fields stay.",
    { expression: "0 4 * * *" }
  )
}).annotations(describeBody("NativeScheduleRequest", "A change of a schedule at an engine's own scheduler."))
export type NativeOperationRequest = typeof NativeOperationRequest.Type

/** What the schema of a request cannot say: which fields go together. `definition` is its JSON text. */
export const requestIssues = (
  { definition: fields, operation, schedule_id }: NativeOperationRequest,
  definition: string
): ReadonlyArray<Issue> => {
  const names = Object.keys(fields ?? {})
  const missing = requiredNames.filter((name) => operation === "create" && !names.includes(name))
  const bytes = Buffer.byteLength(definition)
  const rules: ReadonlyArray<readonly [boolean, string, string]> = [
    [operation === "create" && schedule_id !== null, "schedule_id", "must be absent: a new schedule has none yet"],
    [operation !== "create" && schedule_id === null, "schedule_id", `is required for ${operation}`],
    [operation === "update" && names.length === 0, "definition", "must have at least one field to change"],
    [
      (operation === "delete" || operation === "trigger") && names.length > 0,
      "definition",
      `must be absent: ${operation} changes no field`
    ],
    [bytes > maxDefinitionBytes, "definition", `has ${bytes} bytes; at most ${maxDefinitionBytes} are accepted`]
  ]
  return [
    ...missing.map((name) => ({ path: `definition.${name}`, message: "is required to create a schedule" })),
    ...lossIssues({ definition }),
    ...rules.flatMap(([isBroken, path, message]) => isBroken ? [{ path, message }] : [])
  ]
}

/** A publisher of schedules, and what it can do with them. */
const PublisherCapabilities = Schema.Struct({
  agent_id: describeField(AgentId, "The agent's id.", exampleId),
  agent_name: describeField(Schema.String, "The agent's name.", "web-1"),
  is_live: describeField(Schema.Boolean, "Whether it is connected and publishes; else nothing can be done now.", true),
  status: describeField(Schema.String, "The state of its stream.", "live"),
  operations: describeField(Schema.Array(OperationName), "What it can do with its schedules.", ["trigger"]),
  schedule_count: describeField(Schema.Int, "The schedules that it has published.", 12),
  snapshot_at: describeField(Schema.NullOr(Timestamp), "When all of them were last read.", exampleTime),
  error: describeField(Schema.NullOr(Schema.String), "Why it cannot publish.", null)
}).annotations(describeBody("SchedulePublisher", "An agent that publishes the schedules of a scheduler."))

export const NativeCapabilities = Schema.Struct({
  schedulers: describeField(
    Schema.Array(
      Schema.Struct({
        scheduler: describeField(Schema.String, "The scheduler's name.", "celery-beat"),
        is_live: describeField(Schema.Boolean, "Whether a publisher of it is connected.", true),
        operations: describeField(
          Schema.Array(OperationName),
          "What at least one connected publisher can do.",
          ["enable", "disable", "trigger"]
        ),
        publishers: describeField(Schema.Array(PublisherCapabilities), "The agents that publish its schedules.")
      }).annotations(describeBody("NativeScheduler", "A scheduler that is not the service's."))
    ),
    "The schedulers of the project's engines, by name."
  )
}).annotations(
  describeBody("NativeScheduleCapabilities", "What can be done with schedules of engines' own schedulers.")
)
export type NativeCapabilities = typeof NativeCapabilities.Type
