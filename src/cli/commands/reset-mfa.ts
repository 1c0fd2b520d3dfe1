import { Args, Command, Options } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { yes } from "../Options.ts"

const email = Args.text({ name: "email" }).pipe(Args.withDescription("The user's e-mail address."))

/** `--confirm` is the contract's name of `--yes` here. */
const confirmOption = yes.pipe(Options.withAlias("confirm"))

export const resetMfa = Command.make("reset-mfa", { email, yes: confirmOption }, lazyHandler(() => import("../programs/reset-mfa.ts"))).pipe(
  Command.withDescription("Remove a user's second factor, sessions and trusted browsers, after the factor was lost.")
)
