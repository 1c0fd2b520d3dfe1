import { Effect, Layer } from "effect"
import { type BulkRetryRequestPublic, canonicalizerVersion } from "../../../domain/commands/BulkRetry.ts"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import { missingArgumentsNote } from "../../../domain/tasks/Retry.ts"
import { EngineAgents } from "../EngineAgents.ts"
import { retryAction } from "./Progress.ts"
import type { BulkRetry } from "./Repo.ts"

/** The body of a request's answers. */
export const publicOf = (request: BulkRetry, note: string | null): BulkRetryRequestPublic => {
  const { claimed, failed, succeeded, total, unknown, unobserved, ...row } = request
  const pending = total - claimed - failed - succeeded - unknown - unobserved
  const { engines: _engines, ...shown } = row
  return {
    ...shown,
    canonicalizer_version: canonicalizerVersion,
    counts: { total, pending, claimed, unobserved, succeeded, failed, unknown },
    sealed_at: row.sealed_at ?? row.created_at, // the repository shows sealed requests only
    note
  }
}

export const waitNote = (engines: ReadonlyArray<string>): string =>
  `No connected agent can retry tasks of ${engines.join(", ")}. They wait until one connects.`

/** What callers see of a bulk retry: its counts, and what it waits for. */
export class BulkRetryView extends Effect.Service<BulkRetryView>()("svc/BulkRetryView", {
  effect: Effect.gen(function*() {
    const engineAgents = yield* EngineAgents

    /** The agent of an engine's tasks now; null: none is connected that can retry them. */
    const makeChooser = (projectId: ProjectId, agentId: AgentId | null) =>
      agentId === null
        ? engineAgents.chooseIn(projectId, retryAction)
        : Effect.map(
          engineAgents.servedBy(projectId, agentId, retryAction),
          (serves) => (engine: string) => serves(engine) ? agentId : null
        )

    /** The request as callers see it, with what it waits for. */
    const describe = Effect.fnUntraced(function*(request: BulkRetry) {
      const { claimed, control_state, finished_at, project_id, target_agent_id } = request
      if (finished_at !== null) return publicOf(request, null)
      if (control_state !== "running") {
        const open = claimed === 0 ? "" : ` ${claimed} commands were sent before; their outcomes are still recorded.`
        return publicOf(request, `No task is retried: it is ${control_state}.${open}`)
      }
      const choose = yield* makeChooser(project_id, target_agent_id)
      const waiting = request.engines.filter((engine) =>
        missingArgumentsNote(engine) === null && choose(engine) === null
      )
      return publicOf(request, waiting.length === 0 ? null : waitNote(waiting))
    })

    return { describe, makeChooser } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(EngineAgents.layer))
}
