import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { json, project } from "../program/Options.ts"

export const definitions = {
  list: define("List queues, with the number of waiting tasks.", { project, json })
}

export const queues = makeGroup(
  "queues",
  "The queues of a project.",
  bindCommands(definitions, () => import("./handlers/queues.ts"))
)
