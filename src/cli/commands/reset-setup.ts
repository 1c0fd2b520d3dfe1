import { Command, Options } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { yes } from "../Options.ts"

/** `--force` is the contract's name of `--yes` here. */
const forceOption = yes.pipe(Options.withAlias("force"))

export const resetSetup = Command.make("reset-setup", { yes: forceOption }, lazyHandler(() => import("../programs/reset-setup.ts"))).pipe(
  Command.withDescription("Revoke the setup links of a brain without users; its next start prints a new one.")
)
