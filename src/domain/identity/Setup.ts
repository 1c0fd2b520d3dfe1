import { Redacted, Schema } from "effect"
import { describeBody, describeField, exampleId } from "../kernel/Describe.ts"
import { ProjectId } from "../kernel/Id.ts"
import { nullish, text } from "../kernel/Text.ts"
import { NewPassword } from "./Password.ts"
import { Email, User } from "./User.ts"

/** Whether the first admin still has to be created (bodies: StatusResponse). */
export const SetupStatus = Schema.Struct({
  first_boot: describeField(Schema.Boolean, "True while the first admin is still to be created.", true)
}).annotations(describeBody("SetupStatus", "Whether the brain has its first admin."))

/** The first admin, by the one-time token of the setup link (bodies: CompleteRequest). */
export const CompleteSetup = Schema.Struct({
  token: describeField(
    Schema.Redacted(text(200, 10)),
    "The token of the setup link.",
    Redacted.make("Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ")
  ),
  email: describeField(Email, "The e-mail address.", "ada@example.com"),
  display_name: describeField(nullish(text(200)), "The name that others see.", "Ada Lovelace"),
  password: describeField(NewPassword, "A password.", Redacted.make("correct horse battery staple"))
}).annotations(describeBody("CompleteSetup", "The first admin."))
export type CompleteSetup = typeof CompleteSetup.Type

export const SetupCompleted = Schema.Struct({
  user: describeField(User, "The admin."),
  project_id: describeField(ProjectId, "The id of the project `default`.", exampleId)
}).annotations(describeBody("SetupCompleted", "The first admin and the first project."))
export type SetupCompleted = typeof SetupCompleted.Type
