import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, json, project } from "../program/Options.ts"

const name = argument("name", "The whole name of the tasks.")
const path = argument("path", "The place in their values, such as kwargs.order, args.0.customer or result.status.")

export const definitions = {
  list: define("List the places whose values are in an index, and how far back it is filled.", { project, json }),
  add: define("Put the values at a place into an index, of new tasks and then of stored ones.", {
    name,
    path,
    project,
    json
  }),
  remove: define("Remove an index of values. Queries of them read the tasks again.", { name, path, project })
}

export const searchablePaths = makeGroup(
  "searchable-paths",
  "Arguments and results that are searched by an index.",
  bindCommands(definitions, () => import("./handlers/searchable-paths.ts"))
)
