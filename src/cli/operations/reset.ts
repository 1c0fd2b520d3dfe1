import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/reset.ts"))

const force = Options.boolean("force").pipe(
  Options.withDescription("Wipe. Without it the command only prints the rows.")
)

export const reset = Command.make("reset", { force, json }, handler((module) => module.reset)).pipe(
  Command.withDescription(
    "Wipe every table of the database, users and audit log included; the next start is a first boot."
  )
)
