import { Effect, Schema } from "effect"
import { AgentWorker } from "../domain/AgentWorker.ts"
import { CurrentProject } from "./CurrentActor.ts"
import { orDieOnSql, Reader } from "./Database.ts"
import { pageOf, type RowsQuery, decodeStart } from "./RowPage.ts"

const decode = Schema.decodeUnknownSync(AgentWorker)

/** Filters of the list; undefined: any. */
export interface AgentWorkersQuery extends RowsQuery {
  readonly state?: string | undefined
  readonly role?: string | undefined
}

/** The processes of the project's agents. `Presence` writes them. */
export class AgentWorkers extends Effect.Service<AgentWorkers>()("svc/AgentWorkers", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    /** The processes that match, newest first. */
    const list = Effect.fn("AgentWorkers.list")(function*(query: AgentWorkersQuery) {
      const { limit, role, state } = query
      const project = yield* CurrentProject
      const start = yield* decodeStart("agent-workers", query)
      const conditions = [
        read`project_id = ${project.id}`,
        ...(start === null ? [] : [read`id < ${start}`]),
        ...(state === undefined ? [] : [read`state = ${state}`]),
        ...(role === undefined ? [] : [read`role = ${role}`])
      ]
      // a process without a worker_id of its own is stored under its agent's id
      const rows = yield* read`
        SELECT id, agent_id, project_id, CASE WHEN worker_id = CAST(agent_id AS TEXT) THEN NULL ELSE worker_id END AS worker_id,
               role, framework, pid, started_at, state, last_seen_at, last_connect_at, created_at, updated_at
        FROM agent_workers WHERE ${read.and(conditions)} ORDER BY id DESC LIMIT ${limit + 1}`
      return pageOf("agent-workers", query, rows.map((row) => decode(row)))
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default
}
