import { Effect, Schema } from "effect"
import { AgentProcess } from "../../../domain/agents/AgentProcess.ts"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import type { AgentSession, RoutableProcess } from "../AgentSessions.ts"
import { isReplaced } from "./Replacement.ts"

const decode = Schema.decodeUnknownSync(AgentProcess)

/** Which processes of a project; undefined: any. */
export interface AgentProcessesFilter {
  readonly state?: string | undefined
  readonly role?: string | undefined
}

/** An agent process as the gateway stores it; `engines` and `capabilities` are JSON of its hello. */
export interface ProcessRow {
  readonly worker_id: string
  readonly role: string | null
  readonly engines: string
  readonly capabilities: string
}

const parseEngines = (engines: string): ReadonlyArray<string> => JSON.parse(engines) // the gateway validated the hello

export const decodeProcess = (row: ProcessRow): RoutableProcess => ({
  workerId: row.worker_id,
  role: row.role,
  engines: parseEngines(row.engines),
  capabilities: JSON.parse(row.capabilities) as RoutableProcess["capabilities"] // the same
})

/** The reads of `agent_workers`. A process without its own worker id is stored under the id of its agent. */
export class AgentProcessesRepo extends Effect.Service<AgentProcessesRepo>()("svc/AgentProcessesRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    return {
      /** The newest `limit` processes, those older than the process `start` if it is given. */
      list: (projectId: ProjectId, start: string | null, { role, state }: AgentProcessesFilter, limit: number) => {
        const conditions = [
          read`project_id = ${projectId}`,
          ...(start === null ? [] : [read`id < ${start}`]),
          ...(state === undefined ? [] : [read`state = ${state}`]),
          ...(role === undefined ? [] : [read`role = ${role}`])
        ]
        return Effect.map(
          read`SELECT id, agent_id, project_id,
              CASE WHEN worker_id = CAST(agent_id AS TEXT) THEN NULL ELSE worker_id END AS worker_id,
              role, framework, pid, started_at, state, last_seen_at, last_connect_at, created_at, updated_at
            FROM agent_workers WHERE ${read.and(conditions)} ORDER BY id DESC LIMIT ${limit}`,
          (rows) => rows.map((row) => decode(row))
        )
      },

      /** The agent's online processes. */
      listOnline: (agentId: AgentId) =>
        Effect.map(
          read<ProcessRow>`SELECT worker_id, role, engines, capabilities FROM agent_workers
            WHERE agent_id = ${agentId} AND state = 'online' ORDER BY worker_id`,
          (rows) => rows.map(decodeProcess)
        ),

      /** The ids of those of the sessions that other ones have replaced. */
      listReplaced: (sessions: ReadonlyArray<Pick<AgentSession, "agentId" | "sessionId" | "workerId">>) =>
        sessions.length === 0 ? Effect.succeed<ReadonlyArray<string>>([]) : Effect.map(
          read<{ readonly session: string }>`SELECT DISTINCT r.session FROM ${
            recordset(
              read,
              "r",
              { agent: "uuid", process: "text", session: "text" },
              sessions.map(({ agentId, sessionId, workerId }) => ({
                agent: agentId,
                process: workerId,
                session: sessionId
              }))
            )
          } WHERE ${isReplaced(read, { agent: "r.agent", process: "r.process", session: "r.session" })}`,
          (rows) => rows.map(({ session }) => session)
        ),

      /** The engines of the agent's offline processes, newest process first. */
      listOfflineEngines: (agentId: AgentId, limit: number) =>
        Effect.map(
          read<Pick<ProcessRow, "engines">>`SELECT engines FROM agent_workers
            WHERE agent_id = ${agentId} AND state <> 'online' ORDER BY id DESC LIMIT ${limit}`,
          (rows) => rows.flatMap(({ engines }) => parseEngines(engines))
        ),

      /** The engines of the project's online processes, with the start of each process. */
      listOnlineEngines: (projectId: ProjectId) =>
        Effect.map(
          read<
            { readonly since: Timestamp; readonly engines: string }
          >`SELECT coalesce(started_at, created_at) AS since, engines
            FROM agent_workers WHERE project_id = ${projectId} AND state = 'online'`,
          (rows) => rows.map(({ engines, since }) => ({ since, engines: parseEngines(engines) }))
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
