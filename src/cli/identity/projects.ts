import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/projects.ts"))
const policies = lazyHandlers(() => import("./handlers/project-policies.ts"))

const slug = Args.text({ name: "slug" }).pipe(Args.withDescription("The project's slug."))

const fields = {
  name: Options.text("name").pipe(Options.withDescription("The name that people see."), Options.optional),
  description: Options.text("description").pipe(Options.withDescription("What it is for."), Options.optional),
  environment: Options.text("environment").pipe(
    Options.withDescription("Free text, such as production."),
    Options.optional
  ),
  timezone: Options.text("timezone").pipe(
    Options.withDescription("A time zone such as Europe/Berlin."),
    Options.optional
  )
}

const list = Command.make("list", { json }, handler((module) => module.list)).pipe(
  Command.withDescription("List the projects that the key may read.")
)

const show = Command.make("show", { slug, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a project with its rules.")
)

const create = Command.make("create", { slug, ...fields, json }, handler((module) => module.create)).pipe(
  Command.withDescription("Create a project, as a global admin.")
)

const update = Command.make("update", { slug, ...fields, json }, handler((module) => module.update)).pipe(
  Command.withDescription("Change a project's name, description, environment or time zone.")
)

const remove = Command.make("delete", { slug, yes }, handler((module) => module.remove)).pipe(
  Command.withDescription("Delete a project with its agents, tasks and schedules.")
)

export const projects = Command.make("projects").pipe(
  Command.withDescription("The projects of the brain."),
  Command.withSubcommands([list, show, create, update, remove])
)

export const resetProjectPolicies = Command.make(
  "reset-project-policies",
  { slug, yes },
  policies((module) => module.resetProjectPolicies)
).pipe(
  Command.withDescription("Remove a project's list of addresses and its approvals, after they locked its admins out.")
)
