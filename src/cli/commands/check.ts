import { Command } from "@effect/cli"
import { json } from "../Options.ts"
import { lazyHandler } from "../Load.ts"

export const check = Command.make("check", { json }, lazyHandler(() => import("../programs/check.ts"))).pipe(
  Command.withDescription("Check that the settings load, the database answers and the keys are its own; print its migration revision.")
)
