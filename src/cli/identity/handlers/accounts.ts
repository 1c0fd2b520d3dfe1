import { Console, Effect, Option, Redacted, Schema } from "effect"
import { NewPassword } from "../../../domain/identity/Password.ts"
import { Email } from "../../../domain/identity/User.ts"
import { system } from "../../../domain/kernel/Actor.ts"
import { nullish, text } from "../../../domain/kernel/Text.ts"
import { MfaReset } from "../../../services/identity/Mfa/Reset.ts"
import { PasswordResets } from "../../../services/identity/PasswordResets.ts"
import { Setup } from "../../../services/identity/Setup.ts"
import { Users } from "../../../services/identity/Users.ts"
import { CurrentActor } from "../../../services/kernel/CurrentActor.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { readPassword } from "../../io/Passwords.ts"
import { layerAdministration } from "../../program/Administration.ts"

const FirstAdmin = Schema.Struct({ email: Email, display_name: nullish(text(200)), password: NewPassword })

export const bootstrapAdmin = (options: {
  readonly email: string
  readonly displayName: Option.Option<string>
  readonly passwordStdin: boolean
}) =>
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

export const changePassword = ({ email, passwordStdin }: { readonly email: string; readonly passwordStdin: boolean }) =>
  Effect.gen(function*() {
    const given = yield* readPassword(passwordStdin)
    const { password } = yield* decodeInput(Schema.Struct({ password: NewPassword }), {
      password: Redacted.value(given)
    })
    yield* Effect.gen(function*() {
      const users = yield* Users
      const user = yield* users.getByEmail(email)
      const keys = yield* users.setPassword(user.id, password)
      yield* Console.log(
        `changed the password of ${user.email}; their sessions have ended; API keys that stay valid: ${keys}`
      )
    }).pipe(Effect.provide(layerAdministration), Effect.provideService(CurrentActor, system("svc changepassword")))
  })

/** The link alone on standard output, so that a script can pass it on. */
export const printResetLink = ({ email }: { readonly email: string }) =>
  Effect.gen(function*() {
    const resets = yield* PasswordResets
    const reset = yield* resets.link(email)
    yield* Console.log(reset.link)
    yield* Console.error(
      `${reset.email} can set a new password with it once, before ${reset.expires_at}; earlier links are revoked`
    )
  }).pipe(Effect.provide(layerAdministration), Effect.provideService(CurrentActor, system("svc auth reset-link")))

export const resetMfa = ({ email, yes }: { readonly yes: boolean; readonly email: string }) =>
  Effect.gen(function*() {
    const users = yield* Users
    const user = yield* users.getByEmail(email)
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
  }).pipe(Effect.provide(layerAdministration), Effect.provideService(CurrentActor, system("svc reset-mfa")))

export const vouch = ({ email, yes }: { readonly yes: boolean; readonly email: string }) =>
  Effect.gen(function*() {
    const users = yield* Users
    const user = yield* users.getByEmail(email)
    yield* confirm(
      yes,
      `You say that ${user.email} belongs to another person than those who ask for approvals. They may approve at once.`
    )
    yield* users.vouch(user.id)
    yield* Console.log(`${user.email} may approve what waits, for as long as their account and role stay as they are`)
  }).pipe(Effect.provide(layerAdministration), Effect.provideService(CurrentActor, system("svc vouch")))

export const resetSetup = ({ yes }: { readonly yes: boolean }) =>
  Effect.gen(function*() {
    yield* confirm(yes, "Revokes all setup links printed so far.")
    const tokens = yield* Effect.flatMap(Setup, (setup) => setup.resetTokens()).pipe(
      Effect.provide(layerAdministration),
      Effect.provideService(CurrentActor, system("svc reset-setup"))
    )
    yield* Console.log(
      `revoked ${tokens} setup ${tokens === 1 ? "link" : "links"}; start the brain again for a new one`
    )
  })
