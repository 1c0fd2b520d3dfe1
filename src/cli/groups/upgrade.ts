import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../Load.ts"
import { json } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/upgrade.ts"))

const apply = Options.boolean("apply").pipe(Options.withDescription("Install the newer version with npm."))

export const upgrade = Command.make("upgrade", { apply, json }, handler((module) => module.upgrade)).pipe(
  Command.withDescription("Check the npm registry for a newer version, and install it.")
)
