import { Redacted, Schema } from "effect"
import { describe, exampleId, named } from "./Describe.ts"
import { NewPassword } from "./Password.ts"
import { Id, maybe, text } from "./Text.ts"
import { Email, User } from "./User.ts"

/** Whether nobody has set the brain up yet (bodies: StatusResponse). */
export const SetupStatus = Schema.Struct({
  first_boot: describe(Schema.Boolean, "True while the first admin is still to be created.", true)
}).annotations(named("SetupStatus", "Whether the brain has its first admin."))
export type SetupStatus = typeof SetupStatus.Type

/** The first admin, by the one-time token of the setup link (bodies: CompleteRequest). */
export const CompleteSetup = Schema.Struct({
  token: describe(Schema.Redacted(text(200, 10)), "The token of the setup link.", Redacted.make("Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ")),
  email: describe(Email, "The e-mail address.", "ada@example.com"),
  display_name: describe(maybe(text(200)), "The name that others see.", "Ada Lovelace"),
  password: describe(NewPassword, "A password.", Redacted.make("correct horse battery staple"))
}).annotations(named("CompleteSetup", "The first admin."))
export type CompleteSetup = typeof CompleteSetup.Type

export const SetupCompleted = Schema.Struct({
  user: describe(User, "The admin."),
  project_id: describe(Id, "The id of the project `default`.", exampleId)
}).annotations(named("SetupCompleted", "The first admin and the first project."))
export type SetupCompleted = typeof SetupCompleted.Type
