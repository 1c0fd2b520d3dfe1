import { Agents } from "../../../services/agents/Agents.ts"
import { AgentUptimes } from "../../../services/agents/AgentUptimes.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("agents", function*(handlers) {
  const agents = yield* Agents
  const uptimes = yield* AgentUptimes
  return handlers
    .handle("list", () => agents.list())
    .handle("uptime", () => uptimes.list())
    .handle("create", ({ payload }) => agents.create(payload))
    .handle("update", ({ path, payload }) => agents.update(path.agent_id, payload))
    .handle("health", ({ path }) => agents.listHealth(path.agent_id))
    .handle("delete", ({ path }) => agents.remove(path.agent_id))
})
