import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, json, optionalText, yes } from "../program/Options.ts"

const slug = argument("slug", "The project's slug.")

const fields = {
  name: optionalText("name", "The name that people see."),
  description: optionalText("description", "What it is for."),
  environment: optionalText("environment", "Free text, such as production."),
  timezone: optionalText("timezone", "A time zone such as Europe/Berlin.")
}

export const definitions = {
  list: define("List the projects that the key may read.", { json }),
  show: define("Show a project with its rules.", { slug, json }),
  create: define("Create a project, as a global admin.", { slug, ...fields, json }),
  update: define("Change a project's name, description, environment or time zone.", { slug, ...fields, json }),
  delete: define("Delete a project with its agents, tasks and schedules.", { slug, yes })
}

export const projects = makeGroup(
  "projects",
  "The projects of the brain.",
  bindCommands(definitions, () => import("./handlers/projects.ts"))
)

export const policyDefinitions = {
  "reset-project-policies": define(
    "Remove a project's list of addresses and its approvals, after they locked its admins out.",
    { slug, yes }
  )
}

export const { "reset-project-policies": resetProjectPolicies } = bindCommands(
  policyDefinitions,
  () => import("./handlers/project-policies.ts")
)
