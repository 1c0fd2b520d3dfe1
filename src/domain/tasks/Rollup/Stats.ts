import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../../kernel/Describe.ts"
import { wholeNumber } from "../../kernel/Query.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { Durations } from "./Trends.ts"

/** The query of `GET /projects/{slug}/stats`. */
export const FindStats = Schema.Struct({
  hours: describeField(
    Schema.optional(wholeNumber(1, 8760)),
    "How far back the counts with `_24h` in their name reach; 24 unless given.",
    24
  )
})
export type FindStats = typeof FindStats.Type

const count = (description: string, example: number) => describeField(Schema.Int, description, example)

const TaskStateCounts = Schema.Struct({
  pending: count("Sent, and not received.", 0),
  received: count("Received, and not started.", 3),
  started: count("Running.", 2),
  success: count("Succeeded.", 9120),
  failure: count("Failed.", 14),
  retry: count("Waiting for a retry.", 1),
  revoked: count("Revoked.", 0),
  rejected: count("Rejected.", 0),
  unknown: count("Of unknown outcome.", 0)
}).annotations(describeBody("TaskStateCounts", "Stored tasks by their state now."))

const QueueHealth = Schema.Struct({
  name: describeField(Schema.String, "The queue.", "default"),
  engine: describeField(Schema.String, "The engine.", "celery"),
  pending_count: count("Tasks in the queue at the last report.", 12),
  broker_type: describeField(Schema.NullOr(Schema.String), "The broker; null: unknown.", "redis"),
  last_seen_at: describeField(Schema.NullOr(Timestamp), "The last report.", exampleTime)
}).annotations(describeBody("QueueHealth", "A queue and its depth."))

const SystemHealth = Schema.Struct({
  status: describeField(Schema.Literal("healthy", "degraded"), "`healthy` while all of the following hold.", "healthy"),
  agents_all_online: describeField(Schema.Boolean, "No agent is offline.", true),
  queue_depth_ok: describeField(
    Schema.Boolean,
    "No queue has 1000 tasks or more by a report of the last 5 minutes.",
    true
  ),
  failure_rate_ok: describeField(
    Schema.Boolean,
    "Fewer than 20 % of the window's tasks failed, or fewer than 20 tasks ended.",
    true
  ),
  brain_db_ok: describeField(Schema.Boolean, "True, since the database responded.", true)
}).annotations(describeBody("SystemHealth", "Whether the project is healthy."))

export const Stats = Schema.Struct({
  window_hours: count("The window of the counts with `_24h` in their name.", 24),
  tasks_by_state: describeField(TaskStateCounts, "Stored tasks by their state now."),
  tasks_total: count("Stored tasks.", 9140),
  tasks_failed_24h: count("Tasks that failed in the window.", 12),
  tasks_succeeded_24h: count("Tasks that succeeded in the window.", 1180),
  failure_rate_24h: describeField(
    Schema.Number,
    "The share of failures among both, 0 to 1; 0 without any.",
    0.01
  ),
  runtime_ms: describeField(
    Schema.NullOr(Durations),
    "Runtimes of the window, in milliseconds, within 2 %; null: none is known.",
    { p50: 120, p95: 480, p99: 910 }
  ),
  wait_ms: describeField(
    Schema.NullOr(Durations),
    "Time from receipt to start in the window, in milliseconds, within 2 %; null: none is known.",
    { p50: 15, p95: 60, p99: 250 }
  ),
  agents_online: count("Agents that are connected.", 1),
  agents_offline: count("Agents that are not.", 0),
  workers_online: count("Workers that have shown life lately.", 4),
  workers_offline: count("Workers that have not.", 0),
  commands_pending: count("Commands that have not ended.", 0),
  commands_completed_24h: count("Commands of the window that completed; the window is that of their issue.", 3),
  commands_failed_24h: count("Commands of the window that failed.", 0),
  commands_timeout_24h: count("Commands of the window that no result reached in time.", 0),
  queue_depths: describeField(Schema.Array(QueueHealth), "The 100 deepest queues, the deepest first."),
  system_health: describeField(SystemHealth, "Whether the project is healthy.")
}).annotations(describeBody("StatsResponse", "A project at a glance."))
export type Stats = typeof Stats.Type
