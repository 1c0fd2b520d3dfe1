import { Command, Options } from "@effect/cli"
import { lazily } from "../Load.ts"

const force = Options.boolean("force").pipe(Options.withDescription("Overwrite the file that is there."))

export const init = Command.make("init", { force }, lazily(() => import("../programs/init.ts"))).pipe(
  Command.withDescription("Write a starter file of tunables, svc.conf, into SVC_HOME.")
)
