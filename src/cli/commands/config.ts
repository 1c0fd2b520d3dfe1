import { Command, Options } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { json } from "../Options.ts"

const reveal = Options.boolean("reveal-secrets").pipe(Options.withDescription("Print secrets in full."))

const show = Command.make("show", { reveal, json }, lazyHandler(() => import("../programs/config-show.ts"))).pipe(
  Command.withDescription("Print the settings in force, and where each came from.")
)

const validate = Command.make("validate", {}, lazyHandler(() => import("../programs/config-validate.ts"))).pipe(
  Command.withDescription("Check the tunables file of SVC_HOME without starting anything.")
)

export const config = Command.make("config").pipe(
  Command.withDescription("Show the settings, or check the tunables file."),
  Command.withSubcommands([show, validate])
)
