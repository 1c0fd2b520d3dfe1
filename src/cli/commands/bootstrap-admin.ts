import { Command, Options } from "@effect/cli"
import { lazily } from "../Load.ts"
import { passwordStdin } from "../Options.ts"

const options = {
  email: Options.text("email").pipe(Options.withDescription("The admin's e-mail address.")),
  displayName: Options.text("display-name").pipe(Options.withDescription("The admin's name."), Options.optional),
  passwordStdin
}

const named = (name: string) =>
  Command.make(name, options, lazily(() => import("../programs/bootstrap-admin.ts"))).pipe(
    Command.withDescription("Make the first global admin and the project `default`; first boot only.")
  )

export const bootstrapAdmin = named("bootstrap-admin")
export const createSuperuser = named("createsuperuser")
