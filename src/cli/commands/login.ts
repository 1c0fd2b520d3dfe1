import { Command, Options } from "@effect/cli"
import { lazily } from "../Load.ts"
import { passwordStdin } from "../Options.ts"

const options = {
  url: Options.text("url").pipe(Options.withDescription("Address of the brain (SVC_URL)."), Options.optional),
  email: Options.text("email").pipe(Options.withDescription("Sign in as this user, and make an API key."), Options.optional),
  passwordStdin,
  codeStdin: Options.boolean("code-stdin").pipe(
    Options.withDescription("Read a code of the second factor from standard input, on the line after the password.")
  ),
  apiKeyStdin: Options.boolean("api-key-stdin").pipe(
    Options.withDescription("Read an API key that there is from standard input, instead of signing in.")
  ),
  expiresInDays: Options.integer("expires-in-days").pipe(
    Options.withDescription("How long the key that is made works."),
    Options.withDefault(90)
  ),
  allowInsecure: Options.boolean("allow-insecure").pipe(
    Options.withDescription("Send password and key by plain http to another machine.")
  )
}

export const login = Command.make("login", options, lazily(() => import("../programs/login.ts"))).pipe(
  Command.withDescription("Keep a brain's address and an API key for it in SVC_HOME, for agents, tasks and commands.")
)
