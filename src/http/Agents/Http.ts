import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Agents } from "../../services/Agents.ts"
import { CurrentProject } from "../../services/CurrentActor.ts"
import { Api } from "../Api.ts"

export const layer = HttpApiBuilder.group(Api, "agents", Effect.fnUntraced(function*(handlers) {
  const agents = yield* Agents
  return handlers
    .handle("list", () => Effect.flatMap(CurrentProject, agents.list))
    .handle("create", ({ payload }) => Effect.flatMap(CurrentProject, (project) => agents.create(project, payload)))
    .handle("health", ({ path }) => Effect.flatMap(CurrentProject, (project) => agents.listHealth(project, path.agent_id)))
    .handle("delete", ({ path }) => Effect.flatMap(CurrentProject, (project) => agents.remove(project, path.agent_id)))
}))
