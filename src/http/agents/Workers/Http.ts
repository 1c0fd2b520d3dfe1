import { Effect } from "effect"
import { AgentProcesses } from "../../../services/agents/AgentProcesses.ts"
import { Workers } from "../../../services/agents/Workers.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithRows } from "../../NextPageHeaders.ts"

export const layer = implementGroup("workers", function*(handlers) {
  const workers = yield* Workers
  const agentWorkers = yield* AgentProcesses
  return handlers
    .handle(
      "list",
      ({ urlParams }) => Effect.flatMap(workers.list({ ...urlParams, limit: urlParams.limit ?? 500 }), respondWithRows)
    )
    .handle("lint", () => workers.lint())
    .handle("get", ({ path }) => workers.get(path.worker_id))
    .handle(
      "listAgentWorkers",
      ({ urlParams }) =>
        Effect.flatMap(agentWorkers.list({ ...urlParams, limit: urlParams.limit ?? 200 }), respondWithRows)
    )
})
