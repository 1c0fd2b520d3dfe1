import { Command, Options } from "@effect/cli"
import { lazyHandler } from "../Load.ts"

const force = Options.boolean("force").pipe(Options.withDescription("Overwrite the file that is there."))

export const init = Command.make("init", { force }, lazyHandler(() => import("../programs/init.ts"))).pipe(
  Command.withDescription("Write a starter file of tunables, svc.conf, into SVC_HOME.")
)
