import { Schema } from "effect"
import { Role } from "./Access.ts"
import { describeBody, describeField, exampleId, exampleTime } from "./Describe.ts"
import { ProjectId } from "./Id.ts"
import { Cidr, isInCidrs } from "./net/Cidr.ts"
import { patchField } from "./Patch.ts"
import { nullish, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** What waits for a second person; null or false: nothing of this kind. */
export const ApprovalPolicy = Schema.Struct({
  purge: describeField(Schema.Boolean, "Purges of queues.", true),
  bulk_over: describeField(
    Schema.NullOr(Schema.Int.pipe(Schema.between(0, 10_000))),
    "Bulk retries, deletions and cancellations that may concern more tasks than this; null: none.",
    100
  ),
  destructive_rules: describeField(
    Schema.Boolean,
    "Changes of automation rules that retry or cancel, and of a rule's tripped breaker.",
    true
  )
}).annotations(describeBody("ApprovalPolicy", "What waits for a second person."))
export type ApprovalPolicy = typeof ApprovalPolicy.Type

/** A project: what tasks, agents and memberships belong to. Also its public form (bodies: ProjectPublic). */
export const Project = Schema.Struct({
  id: describeField(ProjectId, "Its id.", exampleId),
  slug: describeField(Schema.String, "Its name in paths: lower-case letters, digits and hyphens.", "shop"),
  name: describeField(Schema.String, "The name that people see.", "Shop"),
  description: describeField(Schema.NullOr(Schema.String), "What it is for.", "Orders and payments"),
  environment: describeField(Schema.String, "Free text, such as production.", "production"),
  timezone: describeField(Schema.String, "A time zone of the IANA database.", "Europe/Berlin"),
  is_active: describeField(Schema.Boolean, "Whether it can be used.", true),
  default_scheduler_owner: describeField(Schema.String, "Which scheduler fires its schedules.", "svc-scheduler"),
  allowed_schedulers: describeField(
    Schema.NullOr(Schema.Array(Schema.String)),
    "The only schedulers that may fire; null: all.",
    ["svc-scheduler"]
  ),
  allowed_cidrs: describeField(
    Schema.NullOr(Schema.Array(Schema.String)),
    "The only addresses from which people and API keys reach it; null: all.",
    ["10.0.0.0/8"]
  ),
  payload_role: describeField(
    Role,
    "The role that sees arguments and results of its tasks and schedules; for others they are null.",
    "viewer"
  ),
  approvals: describeField(
    Schema.NullOr(ApprovalPolicy),
    "What waits for a second person; null: nothing.",
    { purge: true, bulk_over: 100, destructive_rules: true }
  ),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  updated_at: describeField(Timestamp, "When it last changed.", exampleTime)
}).annotations(describeBody("Project", "What tasks, agents and memberships belong to."))
export type Project = typeof Project.Type

/** Whether people and API keys reach the project from the address. An unknown address is in no list. */
export const acceptsAddress = ({ allowed_cidrs }: Pick<Project, "allowed_cidrs">, address: string | null): boolean =>
  allowed_cidrs === null || isInCidrs(address ?? "", allowed_cidrs)

/** Lower-case letters, digits and hyphens; begins and ends with a letter or digit. */
export const Slug = text(63, 2).pipe(
  Schema.pattern(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, {
    message: () => "must be lower-case letters, digits and hyphens, and begin and end with a letter or digit"
  })
)

/** A name of the IANA time zone database that this machine knows. */
export const TimeZone = text(64, 1).pipe(Schema.filter((zone) => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone })
    return true
  } catch {
    return "must be an IANA time zone such as Europe/Berlin"
  }
}))

export const CreateProject = Schema.Struct({
  slug: describeField(Slug, "Its name in paths: lower-case letters, digits and hyphens.", "shop"),
  name: describeField(text(200, 1), "The name that people see.", "Shop"),
  description: describeField(nullish(text(2000)), "What it is for.", "Orders and payments"),
  environment: describeField(
    Schema.optionalWith(text(40), { default: () => "production" }),
    "Free text, such as production.",
    "production"
  ),
  timezone: describeField(
    Schema.optionalWith(TimeZone, { default: () => "UTC" }),
    "A time zone of the IANA database.",
    "Europe/Berlin"
  ),
  default_scheduler_owner: describeField(
    Schema.optionalWith(text(40), { default: () => "svc-scheduler" }),
    "Which scheduler fires its schedules.",
    "svc-scheduler"
  ),
  allowed_schedulers: describeField(
    nullish(Schema.Array(text(40, 1)).pipe(Schema.maxItems(32))),
    "The only schedulers that may fire; null: all.",
    ["svc-scheduler"]
  )
}).annotations(describeBody("CreateProject", "A new project."))
export type CreateProject = typeof CreateProject.Type

/** A change of a project (`Patch.ts` says what null does). */
export const UpdateProject = Schema.Struct({
  slug: describeField(patchField(Slug), "Its name in paths: lower-case letters, digits and hyphens.", "shop"),
  name: describeField(patchField(text(200, 1)), "The name that people see.", "Shop"),
  description: describeField(patchField(text(2000)), "What it is for.", "Orders and payments"),
  environment: describeField(patchField(text(40)), "Free text, such as production.", "production"),
  timezone: describeField(patchField(TimeZone), "A time zone of the IANA database.", "Europe/Berlin"),
  default_scheduler_owner: describeField(patchField(text(40)), "Which scheduler fires its schedules.", "svc-scheduler"),
  allowed_schedulers: describeField(
    patchField(Schema.Array(text(40, 1)).pipe(Schema.maxItems(32))),
    "The only schedulers that may fire; null: all.",
    ["svc-scheduler"]
  ),
  allowed_cidrs: describeField(
    patchField(Schema.Array(Cidr).pipe(Schema.minItems(1), Schema.maxItems(32))),
    "The only addresses from which people and API keys reach it; null: all. Your own must be among them.",
    ["127.0.0.0/8"]
  ),
  payload_role: describeField(
    patchField(Role),
    "The role that sees arguments and results of its tasks and schedules.",
    "viewer"
  ),
  approvals: describeField(
    patchField(ApprovalPolicy),
    "What waits for a second person; null: nothing. A change of an existing policy waits too.",
    null
  )
}).annotations(describeBody("UpdateProject", "Changes of a project; absent fields keep their values."))
export type UpdateProject = typeof UpdateProject.Type
