import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { codeStdin, expiresInDays, json, passwordStdin, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/api-keys.ts"))

const list = Command.make("list", { json }, handler((module) => module.list)).pipe(
  Command.withDescription("List your API keys, revoked and expired ones too.")
)

const create = Command.make("create", {
  name: Args.text({ name: "name" }).pipe(Args.withDescription("What the key is for.")),
  scopes: Options.text("scope").pipe(
    Options.withDescription("What the key may do, such as tasks:read; give it once for each scope."),
    Options.repeated
  ),
  project: Options.text("project").pipe(
    Options.withDescription("Slug of the only project that the key may access."),
    Options.optional
  ),
  expiresInDays,
  email: Options.text("email").pipe(
    Options.withDescription("Sign in as this user; default: the owner of the key of svc login."),
    Options.optional
  ),
  passwordStdin,
  codeStdin,
  json
}, handler((module) => module.create)).pipe(
  Command.withDescription("Sign in and create an API key, which is printed only once.")
)

const revoke = Command.make("revoke", {
  key: Args.text({ name: "key" }).pipe(Args.withDescription("Name or id of the key.")),
  yes
}, handler((module) => module.revoke)).pipe(
  Command.withDescription("Revoke one of your API keys, at once and for good.")
)

export const apiKeys = Command.make("api-keys").pipe(
  Command.withDescription("Your API keys, for scripts."),
  Command.withSubcommands([list, create, revoke])
)
