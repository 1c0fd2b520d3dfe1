import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { passwordStdin, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/accounts.ts"))

const adminOptions = {
  email: Options.text("email").pipe(Options.withDescription("The admin's e-mail address.")),
  displayName: Options.text("display-name").pipe(Options.withDescription("The admin's name."), Options.optional),
  passwordStdin
}

const makeAdminCommand = (name: string) =>
  Command.make(name, adminOptions, handler((module) => module.bootstrapAdmin)).pipe(
    Command.withDescription("Create the first global admin and the project `default`; first boot only.")
  )

export const bootstrapAdmin = makeAdminCommand("bootstrap-admin")
export const createSuperuser = makeAdminCommand("createsuperuser")

const email = Args.text({ name: "email" }).pipe(Args.withDescription("The user's e-mail address."))

export const changePassword = Command.make(
  "changepassword",
  { email, passwordStdin },
  handler((module) => module.changePassword)
).pipe(Command.withDescription("Set a user's password. Ends their sessions and unlocks the account."))

const resetLink = Command.make("reset-link", { email }, handler((module) => module.printResetLink)).pipe(
  Command.withDescription("Print a link with which a user sets a new password. It works once, within 30 minutes.")
)

export const auth = Command.make("auth").pipe(
  Command.withDescription("Help people who cannot sign in."),
  Command.withSubcommands([resetLink])
)

export const vouch = Command.make("vouch", { email, yes }, handler((module) => module.vouch)).pipe(
  Command.withDescription("Say that an account is another person's, who may then approve what waits at once.")
)

/** `--confirm` is the contract's name of `--yes` here. */
const confirmOption = yes.pipe(Options.withAlias("confirm"))

export const resetMfa = Command.make("reset-mfa", { email, yes: confirmOption }, handler((module) => module.resetMfa))
  .pipe(
    Command.withDescription("Remove a user's second factor, sessions and trusted browsers, after the factor was lost.")
  )

/** `--force` is the contract's name of `--yes` here. */
const forceOption = yes.pipe(Options.withAlias("force"))

export const resetSetup = Command.make("reset-setup", { yes: forceOption }, handler((module) => module.resetSetup))
  .pipe(
    Command.withDescription("Revoke the setup links of a brain without users; its next start prints a new one.")
  )
