import { Schema } from "effect"
import { Role } from "../kernel/Access.ts"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { Id, ProjectId, UserId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { wholeNumber } from "../kernel/Query.ts"
import { TaskPriority } from "../kernel/TaskState.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

const count = (description: string, example: number) => describeField(Schema.Int, description, example)

const countFields = {
  tasks_24h: count("Tasks that ended in the last 24 hours.", 1200),
  failures_24h: count("Those that failed.", 12),
  failure_rate_24h: describeField(Schema.Number, "The share of failures among successes and failures, 0 to 1.", 0.01),
  workers_online: count("Workers that have shown life lately.", 4),
  workers_total: count("All workers.", 4),
  agents_online: count("Agents that are connected.", 1),
  agents_total: count("All agents.", 1),
  stuck_commands: count("Commands without an outcome for more than 5 minutes.", 0)
}

const UserMini = Schema.Struct({
  id: describeField(UserId, "The user's id.", exampleId),
  email: describeField(Schema.String, "The e-mail address.", "ada@example.com"),
  display_name: describeField(Schema.NullOr(Schema.String), "The name that others see.", "Ada Lovelace"),
  is_admin: describeField(Schema.Boolean, "Whether the user is a global admin.", false)
}).annotations(describeBody("UserMini", "The caller."))

const Aggregate = Schema.Struct(countFields).annotations(
  describeBody("Aggregate", "All of the caller's projects together.")
)

export const ProjectHealth = Schema.Literal("healthy", "degraded", "critical", "idle")

export const ProjectCard = Schema.Struct({
  id: describeField(ProjectId, "The project's id.", exampleId),
  slug: describeField(Schema.String, "Its slug.", "shop"),
  name: describeField(Schema.String, "Its name.", "Shop"),
  environment: describeField(Schema.String, "Its environment.", "production"),
  role: describeField(Schema.NullOr(Role), "The caller's role in it.", "operator"),
  ...countFields,
  last_activity_at: describeField(
    Schema.NullOr(Timestamp),
    "When a task of it last changed; null: none has.",
    exampleTime
  ),
  health: describeField(
    ProjectHealth,
    "`critical`: an item of attention is critical; `degraded`: there is another that waits for no decision; `idle`: it has no agent; else `healthy`.",
    "healthy"
  )
}).annotations(describeBody("ProjectCard", "A project in numbers."))
export type ProjectCard = typeof ProjectCard.Type

export const AttentionKind = Schema.Literal(
  "agents_offline",
  "agents_refused",
  "alerts_open",
  "approvals_waiting",
  "failure_rate",
  "queue_depth",
  "queue_growth",
  "queue_over_target",
  "queue_unconsumed",
  "failure_groups_regressed",
  "failure_groups_new",
  "failure_groups_escalating",
  "stuck_commands",
  "schedule_misfires",
  "channels_disabled",
  "breakers_tripped",
  "schedules_tripped"
)
export type AttentionKind = typeof AttentionKind.Type

export const AttentionTarget = Schema.Struct({
  engine: describeField(Schema.NullOr(Schema.String), "A queue's engine; null: it is none.", "celery"),
  id: describeField(Schema.String, "Its id; of a failure group its fingerprint.", exampleId),
  name: describeField(
    Schema.String,
    "Its name; of a failure group its tasks' name and its exception, of an alert its title.",
    "mail"
  )
}).annotations(describeBody("AttentionTarget", "A queue, failure group, alert or approval that needs attention."))
export type AttentionTarget = typeof AttentionTarget.Type

export const AttentionItem = Schema.Struct({
  kind: describeField(AttentionKind, "What it is about.", "agents_offline"),
  severity: describeField(Schema.Literal("critical", "warning"), "How bad it is.", "warning"),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  project_slug: describeField(Schema.String, "Its slug.", "shop"),
  project_name: describeField(Schema.String, "Its name.", "Shop"),
  message: describeField(Schema.String, "What a person should know.", "1 of 2 agents is offline."),
  count: describeField(Schema.NullOr(Schema.Int), "How many there are.", 1),
  targets: describeField(
    Schema.Array(AttentionTarget),
    "At most 3 of what it is about, the worst or latest first; empty where it has no names.",
    [{ engine: "celery", id: exampleId, name: "mail" }]
  )
}).annotations(describeBody("AttentionItem", "Something that needs attention."))
export type AttentionItem = typeof AttentionItem.Type

export const HomeSummary = Schema.Struct({
  user: describeField(UserMini, "The caller."),
  aggregate: describeField(Aggregate, "All of the caller's projects together."),
  projects: describeField(Schema.Array(ProjectCard), "The projects that the caller sees, by slug."),
  attention: describeField(Schema.Array(AttentionItem), "What needs attention, the worst first.")
}).annotations(describeBody("HomeSummary", "The caller's projects at a glance."))
export type HomeSummary = typeof HomeSummary.Type

/** The query of `GET /home/recent-failures`. */
export const ListRecentFailures = Schema.Struct({
  cursor: describeField(
    Schema.optional(Schema.String),
    "`next_cursor` of the page before.",
    "WyJyb3dzIiwiMDE5OWMwZGUiXQ"
  ),
  limit: describeField(Schema.optional(wholeNumber(1, 200)), "The most rows of a page; 50 unless given.", 50)
})
export type ListRecentFailures = typeof ListRecentFailures.Type

export const RecentFailure = Schema.Struct({
  id: describeField(Id, "The task's id.", exampleId),
  created_at: describeField(Timestamp, "When it was stored: the order of the list.", exampleTime),
  occurred_at: describeField(Timestamp, "When it failed.", exampleTime),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  project_slug: describeField(Schema.String, "Its slug.", "shop"),
  project_name: describeField(Schema.String, "Its name.", "Shop"),
  engine: describeField(Schema.String, "The engine.", "celery"),
  task_id: describeField(Schema.String, "The engine's own id of the task.", "7f3c"),
  task_name: describeField(Schema.NullOr(Schema.String), "The task's name.", "shop.pay"),
  worker: describeField(Schema.NullOr(Schema.String), "The worker's name.", "celery@box-1"),
  exception: describeField(
    Schema.NullOr(Schema.String),
    "The first 500 characters of what it failed with.",
    "ValueError: no such order"
  ),
  priority: describeField(TaskPriority, "Its priority.", "normal")
}).annotations(describeBody("RecentFailure", "A task that failed."))
export type RecentFailure = typeof RecentFailure.Type

export const RecentFailures = Page(RecentFailure).annotations(
  describeBody("RecentFailures", "A page of failed tasks, the newest tasks first.")
)
