import { Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { json } from "../Options.ts"

export const status = Command.make("status", { json }, lazyHandler(() => import("../programs/status.ts"))).pipe(
  Command.withDescription("Show whether the brain runs and is ready, its database, agents and tasks.")
)
