import { Args, Command } from "@effect/cli"
import { lazyHandlers } from "../Load.ts"
import { json, project, yes } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/agents.ts"))

const name = Args.text({ name: "name" }).pipe(Args.withDescription("What people call the agent."))

const create = Command.make("create", { name, project, json }, handler((module) => module.create)).pipe(
  Command.withDescription("Create an agent, and print the lines that give it its secrets, only this once.")
)

const list = Command.make("list", { project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List the project's agents.")
)

const agent = Args.text({ name: "agent" }).pipe(Args.withDescription("Its name or id."))

const remove = Command.make("delete", { agent, project, yes }, handler((module) => module.remove)).pipe(
  Command.withDescription("Delete an agent: its token ends, and what was asked of it is cancelled.")
)

export const agents = Command.make("agents").pipe(
  Command.withDescription("The agents of a project."),
  Command.withSubcommands([create, list, remove])
)
