import { Command, Options } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { passwordStdin } from "../Options.ts"

const options = {
  email: Options.text("email").pipe(Options.withDescription("The admin's e-mail address.")),
  displayName: Options.text("display-name").pipe(Options.withDescription("The admin's name."), Options.optional),
  passwordStdin
}

const makeCommand = (name: string) =>
  Command.make(name, options, lazyHandler(() => import("../programs/bootstrap-admin.ts"))).pipe(
    Command.withDescription("Make the first global admin and the project `default`; first boot only.")
  )

export const bootstrapAdmin = makeCommand("bootstrap-admin")
export const createSuperuser = makeCommand("createsuperuser")
