import { Effect, Layer } from "effect"
import {
  type BulkRetryPreviewRequest,
  type BulkRetryRequestCreate,
  stateOf
} from "../../../../domain/commands/BulkRetry.ts"
import { type BulkRetryPreview, exceptionTypeOf, maxGroups } from "../../../../domain/commands/BulkRetry/Preview.ts"
import { NotFound } from "../../../../domain/kernel/Errors.ts"
import type { AgentId, ProjectId } from "../../../../domain/kernel/Id.ts"
import type * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import { missingArgumentsNote } from "../../../../domain/tasks/Retry.ts"
import { AgentsRepo } from "../../../agents/Repo.ts"
import { EngineAgents } from "../../EngineAgents.ts"
import { actionOf } from "../Issues.ts"
import { retryWaitNote } from "../View.ts"
import { BulkRetryFreeze } from "./Freeze.ts"

/** The terms that are not null, with the state that is searched; a query as it was written. */
export const termsOf = (
  { filter }: BulkRetryPreviewRequest,
  now: Timestamp.Timestamp
): Readonly<Record<string, unknown>> => {
  const { search_exceptions, ...terms } = filter
  const allTerms = { ...terms, state: stateOf(filter, now), ...(search_exceptions && { search_exceptions }) }
  return Object.fromEntries(Object.entries(allTerms).filter(([, term]) => term !== null && term !== ""))
}

/** Without tasks that came after the moment. Named tasks are there already, and their agent's clock may be ahead. */
export const boundTo = (input: BulkRetryRequestCreate, moment: Timestamp.Timestamp): BulkRetryRequestCreate => {
  const { task_ids, until } = input.filter
  if (task_ids !== null || (until !== null && until < moment)) return input
  return { ...input, filter: { ...input.filter, until: moment } }
}

/** Adds to the count of a key. */
const increment = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

const mostFrequent = <Key>(counts: ReadonlyMap<Key, number>): ReadonlyArray<readonly [Key, number]> =>
  [...counts].sort(([, a], [, b]) => b - a)

/** Shows before a bulk retry what its filter and agent select. */
export class BulkRetryPreviews extends Effect.Service<BulkRetryPreviews>()("svc/BulkRetryPreviews", {
  effect: Effect.gen(function*() {
    const agents = yield* AgentsRepo
    const freeze = yield* BulkRetryFreeze
    const engineAgents = yield* EngineAgents

    /** Fails where the project does not have the agent. */
    const checkAgent = Effect.fnUntraced(function*(projectId: ProjectId, agentId: AgentId | null) {
      if (agentId === null) return
      const agent = yield* agents.findCommanded(projectId, agentId, null)
      if (agent === null) return yield* new NotFound({ resource: "agent" })
    })

    /** What a request would retry; ages count from `now`. Stores nothing. */
    const preview = Effect.fnUntraced(function*(
      projectId: ProjectId,
      input: BulkRetryPreviewRequest,
      now: Timestamp.Timestamp
    ) {
      yield* checkAgent(projectId, input.agent_id)
      const engines = new Map<string, number>()
      const names = new Map<string, number>()
      const exceptions = new Map<string | null, number>()
      const { capped, total } = yield* freeze.readAll(
        projectId,
        input.filter,
        input.max,
        now,
        (tasks) =>
          Effect.sync(() => {
            for (const { engine, exception, name } of tasks) {
              increment(engines, engine)
              increment(names, name)
              increment(exceptions, exception === null ? null : exceptionTypeOf(exception))
            }
          })
      )
      const choose = yield* engineAgents.chooseIn(projectId, actionOf.retry, input.agent_id)
      return {
        total,
        capped,
        engines: mostFrequent(engines).map(([engine, count]) => {
          const note = missingArgumentsNote(engine)
          const agent_id = note === null ? choose(engine) : null
          return { engine, count, agent_id, note: note ?? (agent_id === null ? retryWaitNote([engine]) : null) }
        }),
        names: mostFrequent(names).slice(0, maxGroups).map(([name, count]) => ({ name, count })),
        exceptions: mostFrequent(exceptions).slice(0, maxGroups).map(([exception, count]) => ({ exception, count }))
      } satisfies BulkRetryPreview
    })

    return { checkAgent, preview } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([AgentsRepo.layer, BulkRetryFreeze.layer, EngineAgents.layer])
  )
}
