import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { codeStdin, expiresInDays, json, passwordStdin } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/login.ts"))

const options = {
  url: Options.text("url").pipe(Options.withDescription("Address of the brain (SVC_URL)."), Options.optional),
  email: Options.text("email").pipe(
    Options.withDescription("Sign in as this user, and create an API key."),
    Options.optional
  ),
  passwordStdin,
  codeStdin,
  apiKeyStdin: Options.boolean("api-key-stdin").pipe(
    Options.withDescription("Read an existing API key from standard input, instead of signing in.")
  ),
  expiresInDays,
  allowInsecure: Options.boolean("allow-insecure").pipe(
    Options.withDescription("Allow plain http to another machine, which exposes the password and the key.")
  )
}

export const login = Command.make("login", options, handler((module) => module.login)).pipe(
  Command.withDescription("Sign in, and store the brain's address and an API key in SVC_HOME.")
)

export const logout = Command.make("logout", {}, handler((module) => module.logout)).pipe(
  Command.withDescription("Revoke the API key that svc login created, and remove it from this machine.")
)

export const whoami = Command.make("whoami", { json }, handler((module) => module.whoami)).pipe(
  Command.withDescription("Show the API key's owner, the brain and the owner's roles.")
)
