import { Args, Command, Options } from "@effect/cli"
import { lazily } from "../Load.ts"

const email = Args.text({ name: "email" }).pipe(Args.withDescription("The user's e-mail address."))

const confirm = Options.boolean("confirm").pipe(Options.withDescription("Do not ask."))

export const resetMfa = Command.make("reset-mfa", { email, confirm }, lazily(() => import("../programs/reset-mfa.ts"))).pipe(
  Command.withDescription("Take a user's second factor away, for who has lost it; it ends their sessions and trusted browsers.")
)
