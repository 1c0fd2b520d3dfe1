import { Effect, Layer } from "effect"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { decodeStart, pageOf, type RowsQuery } from "../kernel/sql/RowPage.ts"
import { type AgentProcessesFilter, AgentProcessesRepo } from "./AgentProcesses/Repo.ts"

export interface AgentProcessesQuery extends RowsQuery, AgentProcessesFilter {}

/** The processes of the project's agents. `Presence` writes them. */
export class AgentProcesses extends Effect.Service<AgentProcesses>()("svc/AgentProcesses", {
  effect: Effect.gen(function*() {
    const repo = yield* AgentProcessesRepo

    /** The processes that match, newest first. */
    const list = Effect.fn("AgentProcesses.list")(function*(query: AgentProcessesQuery) {
      const project = yield* CurrentProject
      const start = yield* decodeStart("agent-workers", query)
      return pageOf("agent-workers", query, yield* repo.list(project.id, start, query, query.limit + 1))
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(AgentProcessesRepo.layer))
}
