import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/upgrade.ts"))

const apply = Options.boolean("apply").pipe(
  Options.withDescription("Install the newer version with npm, if its package is signed by the release key.")
)

export const upgrade = Command.make("upgrade", { apply, json, yes }, handler((module) => module.upgrade)).pipe(
  Command.withDescription("Say which version the release feed has, and install it.")
)
