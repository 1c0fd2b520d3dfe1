import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/secret-key.ts"))

const show = Command.make("show", { json }, handler((module) => module.show)).pipe(
  Command.withDescription("Print the ids of the keys, and how many stored secrets need each.")
)

const rotate = Command.make("rotate", {
  activate: Options.boolean("activate").pipe(
    Options.withDescription("Activate the key at once and re-encrypt all secrets; only where no other replica runs.")
  )
}, handler((module) => module.rotate)).pipe(
  Command.withDescription("Stage the next key: a new one, or the one in SVC_SECRET_KEY. It encrypts after activate.")
)

const activate = Command.make("activate", {}, handler((module) => module.activate)).pipe(
  Command.withDescription("Encrypt with the staged key from now on. Every replica must have it first.")
)

const reseal = Command.make("reseal", {}, handler((module) => module.reseal)).pipe(
  Command.withDescription("Re-encrypt all secrets with the active key, and print which keys are no longer needed.")
)

export const secretKey = Command.make("secret-key").pipe(
  Command.withDescription("Rotate the key of stored secrets, SVC_SECRET_KEY, while replicas run."),
  Command.withSubcommands([show, rotate, activate, reseal])
)
