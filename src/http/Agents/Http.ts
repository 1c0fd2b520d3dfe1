import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Agents } from "../../services/Agents.ts"
import { Api } from "../Api.ts"

export const layer = HttpApiBuilder.group(Api, "agents", Effect.fnUntraced(function*(handlers) {
  const agents = yield* Agents
  return handlers
    .handle("list", () => agents.list())
    .handle("create", ({ payload }) => agents.create(payload))
    .handle("health", ({ path }) => agents.listHealth(path.agent_id))
    .handle("delete", ({ path }) => agents.remove(path.agent_id))
}))
