import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { json, project } from "../program/Options.ts"

export const definitions = {
  list: define("List the engines' workers, and the queues that each consumes.", { project, json })
}

export const workers = makeGroup(
  "workers",
  "The workers of a project's engines.",
  bindCommands(definitions, () => import("./handlers/workers.ts"))
)
