import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, json, optionalText, project, yes } from "../program/Options.ts"

export const definitions = {
  create: define("Create an agent, and print its token and signing secret, only once.", {
    name: argument("name", "Name of the agent."),
    namespace: optionalText(
      "namespace",
      "Becomes part of its tasks' ids, where another agent's broker may give the same ones."
    ),
    project,
    json
  }),
  list: define("List the project's agents.", { project, json }),
  show: define("Show an agent, how much of the last 24 hours it was connected, and its outages.", {
    agent: argument("agent", "Name or id of the agent."),
    project,
    json
  }),
  delete: define("Delete an agent: revokes its token and cancels its open commands.", {
    agent: argument("agent", "Name or id of the agent."),
    project,
    yes
  })
}

export const agents = makeGroup(
  "agents",
  "The agents of a project.",
  bindCommands(definitions, () => import("./handlers/agents.ts"))
)
