import { Args, Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { passwordStdin } from "../Options.ts"

const email = Args.text({ name: "email" }).pipe(Args.withDescription("The user's e-mail address."))

export const changePassword = Command.make(
  "changepassword",
  { email, passwordStdin },
  lazyHandler(() => import("../programs/changepassword.ts"))
).pipe(Command.withDescription("Set a user's password; it ends their sessions and opens a locked account."))
