import { Command } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, project } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/workers.ts"))

const list = Command.make("list", { project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List the engines' workers, and the queues that each consumes.")
)

export const workers = Command.make("workers").pipe(
  Command.withDescription("The workers of a project's engines."),
  Command.withSubcommands([list])
)
