import { Schema } from "effect"
import { NewPassword } from "./Password.ts"
import { Id, maybe, text } from "./Text.ts"
import { Email, User } from "./User.ts"

/** Whether nobody has set the brain up yet (bodies: StatusResponse). */
export const SetupStatus = Schema.Struct({ first_boot: Schema.Boolean }).annotations({ identifier: "SetupStatus" })
export type SetupStatus = typeof SetupStatus.Type

/** The first admin, by the one-time token of the setup link (bodies: CompleteRequest). */
export const CompleteSetup = Schema.Struct({
  token: Schema.Redacted(text(200, 10)),
  email: Email,
  display_name: maybe(text(200)),
  password: NewPassword
}).annotations({ identifier: "CompleteSetup" })
export type CompleteSetup = typeof CompleteSetup.Type

export const SetupCompleted = Schema.Struct({ user: User, project_id: Id }).annotations({ identifier: "SetupCompleted" })
export type SetupCompleted = typeof SetupCompleted.Type
