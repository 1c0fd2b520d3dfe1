import { Schema } from "effect"
import { describeBody, describeField } from "../../kernel/Describe.ts"

/** A scheduler that the caller may see (bodies: FleetEntry). */
export const FleetEntry = Schema.Struct({
  url: describeField(
    Schema.String,
    "What it is: `svc-scheduler`, or `agents/<id>/<scheduler>` for the scheduler of an engine.",
    "agents/0199c0de-0000-7000-8000-000000000001/celery-beat"
  ),
  ok: describeField(
    Schema.NullOr(Schema.Boolean),
    "Whether it works; null: it was asked to publish its schedules, and has not done so yet.",
    true
  ),
  info: describeField(
    Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    "Its project, agent and status, the number of its schedules, and when they were last published.",
    { scheduler: "celery-beat", status: "live", schedule_count: 12 }
  ),
  error: describeField(Schema.NullOr(Schema.String), "What is wrong, as a sentence; null: nothing is known.", null)
})
export type FleetEntry = typeof FleetEntry.Type

export const Fleet = Schema.Struct({
  schedulers: describeField(Schema.Array(FleetEntry), "The service's own first, then those of engines.", []),
  total: describeField(Schema.Int, "How many they are.", 2),
  healthy: describeField(Schema.Int, "How many of them work.", 2)
}).annotations(describeBody("Fleet", "The schedulers that the caller may see."))
export type Fleet = typeof Fleet.Type

export const ResyncSchedulesResponse = Schema.Struct({
  agents_dispatched: describeField(Schema.Int, "Agents that were asked.", 1),
  schedulers_observed: describeField(
    Schema.Array(Schema.String),
    "The schedulers whose schedules will be published.",
    ["celery-beat"]
  )
}).annotations(describeBody("ResyncSchedules", "The agents that were asked to publish their schedules."))
export type ResyncSchedulesResponse = typeof ResyncSchedulesResponse.Type
