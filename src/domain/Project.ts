import { Schema } from "effect"
import { change } from "./Patch.ts"
import { Id, maybe, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** A project: what tasks, agents and memberships belong to. Also its public form (bodies: ProjectPublic). */
export const Project = Schema.Struct({
  id: Id,
  slug: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  environment: Schema.String,
  timezone: Schema.String,
  is_active: Schema.Boolean,
  default_scheduler_owner: Schema.String,
  allowed_schedulers: Schema.NullOr(Schema.Array(Schema.String)),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotations({ identifier: "Project" })
export type Project = typeof Project.Type

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
  slug: Slug,
  name: text(200, 1),
  description: maybe(text(2000)),
  environment: Schema.optionalWith(text(40), { default: () => "production" }),
  timezone: Schema.optionalWith(TimeZone, { default: () => "UTC" }),
  default_scheduler_owner: Schema.optionalWith(text(40), { default: () => "svc-scheduler" }),
  allowed_schedulers: maybe(Schema.Array(text(40, 1)).pipe(Schema.maxItems(32)))
}).annotations({ identifier: "CreateProject" })
export type CreateProject = typeof CreateProject.Type

/** A change of a project (`Patch.ts` says what null does). */
export const UpdateProject = Schema.Struct({
  slug: change(Slug),
  name: change(text(200, 1)),
  description: change(text(2000)),
  environment: change(text(40)),
  timezone: change(TimeZone),
  default_scheduler_owner: change(text(40)),
  allowed_schedulers: change(Schema.Array(text(40, 1)).pipe(Schema.maxItems(32)))
}).annotations({ identifier: "UpdateProject" })
export type UpdateProject = typeof UpdateProject.Type
