import { Command } from "@effect/cli"
import { json } from "../Options.ts"
import { lazily } from "../Load.ts"

export const check = Command.make("check", { json }, lazily(() => import("../programs/check.ts"))).pipe(
  Command.withDescription("Check that the settings load, the database answers and the keys are its own; print its migration revision.")
)
