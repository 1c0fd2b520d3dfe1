import { Command, Options } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { json } from "../Options.ts"

const show = Command.make("show", { json }, lazyHandler(() => import("../programs/secret-key-show.ts"))).pipe(
  Command.withDescription("Print the ids of the keys, and how many stored secrets each is needed for.")
)

const rotate = Command.make("rotate", {
  activate: Options.boolean("activate").pipe(
    Options.withDescription("Let it seal at once, and seal everything anew: there is no other replica.")
  )
}, lazyHandler(() => import("../programs/secret-key-rotate.ts"))).pipe(
  Command.withDescription("Make the next key, or find the one that was given; it seals after activate.")
)

const activate = Command.make("activate", {}, lazyHandler(() => import("../programs/secret-key-activate.ts"))).pipe(
  Command.withDescription("Let the next key seal from now on. Every replica must have been given it.")
)

const reseal = Command.make("reseal", {}, lazyHandler(() => import("../programs/secret-key-reseal.ts"))).pipe(
  Command.withDescription("Seal all secrets under the key that seals now, and say which keys are not needed any more.")
)

export const secretKey = Command.make("secret-key").pipe(
  Command.withDescription("Change the key of stored secrets, SVC_SECRET_KEY, while replicas run."),
  Command.withSubcommands([show, rotate, activate, reseal])
)
