import { Command } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, project } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/queues.ts"))

const list = Command.make("list", { project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List queues, with the number of waiting tasks.")
)

export const queues = Command.make("queues").pipe(
  Command.withDescription("The queues of a project."),
  Command.withSubcommands([list])
)
