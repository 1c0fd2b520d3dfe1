import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, passwordStdin, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/users.ts"))

const user = Args.text({ name: "user" }).pipe(Args.withDescription("E-mail address or id of the user."))

const offset = Options.integer("offset").pipe(
  Options.withDescription("Accounts to leave out before."),
  Options.withDefault(0)
)

const list = Command.make("list", { offset, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List all accounts.")
)

const create = Command.make("create", {
  email: Args.text({ name: "email" }).pipe(Args.withDescription("The user's e-mail address.")),
  displayName: Options.text("display-name").pipe(
    Options.withDescription("The name that others see."),
    Options.optional
  ),
  admin: Options.boolean("admin").pipe(Options.withDescription("A global admin.")),
  passwordStdin,
  json
}, handler((module) => module.create)).pipe(
  Command.withDescription("Create an account with a password. svc invitations create lets people choose their own.")
)

const enable = Command.make("enable", { user, json }, handler((module) => module.enable)).pipe(
  Command.withDescription("Let an account sign in again.")
)

const disable = Command.make("disable", { user, json }, handler((module) => module.disable)).pipe(
  Command.withDescription("End an account's sessions and keys; it cannot sign in.")
)

const promote = Command.make("promote", { user, json }, handler((module) => module.promote)).pipe(
  Command.withDescription("Make an account a global admin.")
)

const demote = Command.make("demote", { user, json }, handler((module) => module.demote)).pipe(
  Command.withDescription("Make a global admin an ordinary user.")
)

const remove = Command.make("delete", { user, yes }, handler((module) => module.remove)).pipe(
  Command.withDescription("Delete an account with its sessions, keys and memberships.")
)

export const users = Command.make("users").pipe(
  Command.withDescription("The accounts of the brain, for global admins."),
  Command.withSubcommands([list, create, enable, disable, promote, demote, remove])
)
