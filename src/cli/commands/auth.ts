import { Args, Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"

const email = Args.text({ name: "email" }).pipe(Args.withDescription("The user's e-mail address."))

const resetLink = Command.make("reset-link", { email }, lazyHandler(() => import("../programs/auth-reset-link.ts"))).pipe(
  Command.withDescription("Print a link by which a user sets a new password; it works once, for 30 minutes.")
)

export const auth = Command.make("auth").pipe(
  Command.withDescription("Help people who cannot sign in."),
  Command.withSubcommands([resetLink])
)
