import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, project, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/agents.ts"))

const name = Args.text({ name: "name" }).pipe(Args.withDescription("Name of the agent."))

const namespace = Options.text("namespace").pipe(
  Options.withDescription("Becomes part of its tasks' ids, where another agent's broker may give the same ones."),
  Options.optional
)

const create = Command.make("create", { name, namespace, project, json }, handler((module) => module.create)).pipe(
  Command.withDescription("Create an agent, and print its token and signing secret, only once.")
)

const list = Command.make("list", { project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List the project's agents.")
)

const agent = Args.text({ name: "agent" }).pipe(Args.withDescription("Name or id of the agent."))

const remove = Command.make("delete", { agent, project, yes }, handler((module) => module.remove)).pipe(
  Command.withDescription("Delete an agent: revokes its token and cancels its open commands.")
)

export const agents = Command.make("agents").pipe(
  Command.withDescription("The agents of a project."),
  Command.withSubcommands([create, list, remove])
)
