import { Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { json, project } from "../Options.ts"

const list = Command.make("list", { project, json }, lazyHandler(() => import("../programs/queues-list.ts"))).pipe(
  Command.withDescription("List queues, with how many tasks wait in each.")
)

export const queues = Command.make("queues").pipe(
  Command.withDescription("The queues of a project."),
  Command.withSubcommands([list])
)
