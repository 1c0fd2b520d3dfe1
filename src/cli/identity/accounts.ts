import { Options } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, optionalText, passwordStdin, text, yes } from "../program/Options.ts"

const email = argument("email", "The user's e-mail address.")

const bootstrap = define("Create the first global admin and the project `default`; first boot only.", {
  email: text("email", "The admin's e-mail address."),
  displayName: optionalText("display-name", "The admin's name."),
  passwordStdin
})

export const definitions = {
  "bootstrap-admin": bootstrap,
  createsuperuser: bootstrap,
  changepassword: define("Set a user's password. Ends their sessions and unlocks the account.", {
    email,
    passwordStdin
  }),
  "reset-link": define("Print a link with which a user sets a new password. It works once, within 30 minutes.", {
    email
  }),
  vouch: define("Say that an account is another person's, who may then approve what waits at once.", { email, yes }),
  "reset-mfa": define("Remove a user's second factor, sessions and trusted browsers, after the factor was lost.", {
    email,
    yes: yes.pipe(Options.withAlias("confirm")) // the contract's name of `--yes` here
  }),
  "reset-setup": define("Revoke the setup links of a brain without users; its next start prints a new one.", {
    yes: yes.pipe(Options.withAlias("force")) // the contract's name of `--yes` here
  })
}

const { "reset-link": resetLink, ...accounts } = bindCommands(definitions, () => import("./handlers/accounts.ts"))

export const {
  "bootstrap-admin": bootstrapAdmin,
  changepassword: changePassword,
  createsuperuser: createSuperuser,
  "reset-mfa": resetMfa,
  "reset-setup": resetSetup,
  vouch
} = accounts

export const auth = makeGroup("auth", "Help people who cannot sign in.", { resetLink })
