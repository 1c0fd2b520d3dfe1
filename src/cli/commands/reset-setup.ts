import { Command, Options } from "@effect/cli"
import { lazily } from "../Load.ts"

const force = Options.boolean("force").pipe(Options.withDescription("Do it; without this nothing is done."))

export const resetSetup = Command.make("reset-setup", { force }, lazily(() => import("../programs/reset-setup.ts"))).pipe(
  Command.withDescription("Void the setup links of a brain that nobody has set up yet; its next start prints a new one.")
)
