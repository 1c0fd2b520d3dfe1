import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { AgentWorkers } from "../../services/AgentWorkers.ts"
import { Workers } from "../../services/Workers.ts"
import { Api } from "../Api.ts"
import { respondWithRows } from "../NextPageHeaders.ts"

export const layer = HttpApiBuilder.group(Api, "workers", Effect.fnUntraced(function*(handlers) {
  const workers = yield* Workers
  const agentWorkers = yield* AgentWorkers
  return handlers
    .handle("list", ({ urlParams }) => Effect.flatMap(workers.list({ ...urlParams, limit: urlParams.limit ?? 500 }), respondWithRows))
    .handle("get", ({ path }) => workers.get(path.worker_id))
    .handle("listAgentWorkers", ({ urlParams }) => Effect.flatMap(agentWorkers.list({ ...urlParams, limit: urlParams.limit ?? 200 }), respondWithRows))
}))
