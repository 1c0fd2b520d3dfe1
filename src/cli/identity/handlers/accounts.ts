import { Console, Effect, Option, Redacted, Schema } from "effect"
import { NewPassword } from "../../../domain/identity/Password.ts"
import { Email } from "../../../domain/identity/User.ts"
import { nullish, text } from "../../../domain/kernel/Text.ts"
import { MfaReset } from "../../../services/identity/Mfa/Reset.ts"
import { PasswordResets } from "../../../services/identity/PasswordResets.ts"
import { Setup } from "../../../services/identity/Setup.ts"
import { Users } from "../../../services/identity/Users.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { readPassword } from "../../io/Passwords.ts"
import { handleAs, layerAdministration } from "../../program/Administration.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import type { definitions } from "../accounts.ts"

const FirstAdmin = Schema.Struct({ email: Email, display_name: nullish(text(200)), password: NewPassword })

const bootstrapAdmin = (options: OptionsOf<typeof definitions.createsuperuser>) =>
  Effect.gen(function*() {
    const given = yield* readPassword(options.passwordStdin)
    const { display_name, email, password } = yield* decodeInput(FirstAdmin, {
      email: options.email,
      display_name: Option.getOrNull(options.displayName),
      password: Redacted.value(given)
    })
    const { user } = yield* Effect.provide(
      Effect.flatMap(Setup, (setup) => setup.bootstrapAdmin({ email, displayName: display_name, password })),
      layerAdministration
    )
    yield* Console.log(`created the admin ${user.email} and the project default`)
  })

const decodePassword = (fromStdin: boolean) =>
  Effect.flatMap(
    readPassword(fromStdin),
    (given) => decodeInput(Schema.Struct({ password: NewPassword }), { password: Redacted.value(given) })
  )

export const handlers: HandlersOf<typeof definitions> = {
  "bootstrap-admin": bootstrapAdmin,
  createsuperuser: bootstrapAdmin,
  changepassword: ({ email, passwordStdin }) =>
    Effect.flatMap(
      decodePassword(passwordStdin), // before the database is opened
      handleAs("svc changepassword")(function*({ password }) {
        const users = yield* Users
        const user = yield* users.getByEmail(email)
        const keys = yield* users.setPassword(user.id, password)
        yield* Console.log(
          `changed the password of ${user.email}; their sessions have ended; API keys that stay valid: ${keys}`
        )
      })
    ),
  // the link alone on standard output, so that a script can pass it on
  "reset-link": handleAs("svc auth reset-link")(function*({ email }) {
    const reset = yield* Effect.flatMap(PasswordResets, (resets) => resets.link(email))
    yield* Console.log(reset.link)
    yield* Console.error(
      `${reset.email} can set a new password with it once, before ${reset.expires_at}; earlier links are revoked`
    )
  }),
  "reset-mfa": handleAs("svc reset-mfa")(function*({ email, yes }) {
    const user = yield* Effect.flatMap(Users, (users) => users.getByEmail(email))
    yield* confirm(
      yes,
      `Removes the second factor, the recovery codes and the trusted browsers of ${user.email}: from then on the password alone signs in.`
    )
    const isRemoved = yield* Effect.flatMap(MfaReset, (mfa) => mfa.reset(user))
    yield* Console.log(
      isRemoved
        ? `removed the second factor of ${user.email} and ended their sessions; their next login needs the password alone`
        : `${user.email} has no second factor; nothing was done`
    )
  }),
  vouch: handleAs("svc vouch")(function*({ email, yes }) {
    const users = yield* Users
    const user = yield* users.getByEmail(email)
    yield* confirm(
      yes,
      `You say that ${user.email} belongs to another person than those who ask for approvals. They may approve at once.`
    )
    yield* users.vouch(user.id)
    yield* Console.log(`${user.email} may approve what waits, for as long as their account and role stay as they are`)
  }),
  "reset-setup": ({ yes }) =>
    Effect.flatMap(
      confirm(yes, "Revokes all setup links printed so far."), // before the database is opened
      handleAs("svc reset-setup")(function*() {
        const tokens = yield* Effect.flatMap(Setup, (setup) => setup.resetTokens())
        yield* Console.log(
          `revoked ${tokens} setup ${tokens === 1 ? "link" : "links"}; start the brain again for a new one`
        )
      })
    )
}
