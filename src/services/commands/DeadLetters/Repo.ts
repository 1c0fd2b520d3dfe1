import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { AgentId, CommandId, ProjectId } from "../../../domain/kernel/Id.ts"
import { decodeProcess, type ProcessRow } from "../../agents/AgentProcesses/Repo.ts"
import { Reader } from "../../kernel/sql/Database.ts"

/** Agents and processes that are considered for one question. */
const maxRows = 200

export const makeDeadLettersRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader

  return {
    /** The engines of the project's agents whose last hello may name the engine; the pattern finds a few more. */
    listAgentEngines: (projectId: ProjectId, engine: string, agentId: AgentId | null) =>
      Effect.map(
        read<{ readonly engine_adapters: string }>`SELECT engine_adapters FROM agents
          WHERE project_id = ${projectId} AND ${agentId === null ? read`1 = 1` : read`id = ${agentId}`}
            AND engine_adapters LIKE ${`%"${engine}"%`} LIMIT ${maxRows}`,
        (rows) => rows.flatMap((row): ReadonlyArray<string> => JSON.parse(row.engine_adapters)) // written by the gateway
      ),
    /** Online processes that may serve the engine, the one that sent the newest message first. */
    listProcesses: (projectId: ProjectId, engine: string, agentId: AgentId | null) =>
      Effect.map(
        read<ProcessRow & { readonly agent_id: AgentId }>`
          SELECT agent_id, worker_id, role, engines, capabilities FROM agent_workers
          WHERE project_id = ${projectId} AND ${agentId === null ? read`1 = 1` : read`agent_id = ${agentId}`}
            AND state = 'online' AND (engines = '[]' OR engines LIKE ${`%"${engine}"%`})
          ORDER BY last_seen_at DESC LIMIT ${maxRows}`,
        (rows) => rows.map(({ agent_id, ...row }) => ({ agent_id, process: decodeProcess(row) }))
      ),
    /** Deletes a question whose result was read. */
    deleteQuestion: (id: CommandId) => sql`DELETE FROM commands WHERE id = ${id} AND completed_at IS NOT NULL`
  } as const
})
