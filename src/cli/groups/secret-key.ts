import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../Load.ts"
import { json } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/secret-key.ts"))

const show = Command.make("show", { json }, handler((module) => module.show)).pipe(
  Command.withDescription("Print the ids of the keys, and how many stored secrets each is needed for.")
)

const rotate = Command.make("rotate", {
  activate: Options.boolean("activate").pipe(
    Options.withDescription("Let it seal at once, and seal everything anew: there is no other replica.")
  )
}, handler((module) => module.rotate)).pipe(
  Command.withDescription("Make the next key, or find the one that was given; it seals after activate.")
)

const activate = Command.make("activate", {}, handler((module) => module.activate)).pipe(
  Command.withDescription("Let the next key seal from now on. Every replica must have been given it.")
)

const reseal = Command.make("reseal", {}, handler((module) => module.reseal)).pipe(
  Command.withDescription("Seal all secrets under the key that seals now, and say which keys are not needed any more.")
)

export const secretKey = Command.make("secret-key").pipe(
  Command.withDescription("Change the key of stored secrets, SVC_SECRET_KEY, while replicas run."),
  Command.withSubcommands([show, rotate, activate, reseal])
)
