import { Effect, Layer } from "effect"
import type { BulkJob } from "../../../domain/commands/BulkJob.ts"
import { type BulkRetryRequestPublic, canonicalizerVersion } from "../../../domain/commands/BulkRetry.ts"
import { omitNullTerms, summarizeTerms } from "../../../domain/kernel/Query.ts"
import { missingArgumentsNote } from "../../../domain/tasks/Retry.ts"
import { MemberNames } from "../../identity/MemberNames.ts"
import { EngineAgents } from "../EngineAgents.ts"
import { actionOf } from "./Issues.ts"
import { type BulkRetry, type BulkWalk, progressOf } from "./Row.ts"

/** A bulk retry as callers see it. */
export const publicOf = (request: BulkRetry, note: string | null): BulkRetryRequestPublic => {
  const { action: _action, claimed, engines: _engines, failed, resolved_at: _resolvedAt, succeeded, total, ...rest } =
    request
  const { unknown, unobserved, ...columns } = rest
  const pending = total - claimed - failed - succeeded - unknown - unobserved
  return {
    ...columns,
    canonicalizer_version: canonicalizerVersion,
    counts: { total, pending, claimed, unobserved, succeeded, failed, unknown },
    sealed_at: columns.sealed_at ?? columns.created_at, // the repository shows sealed jobs only
    note
  }
}

export const retryWaitNote = (engines: ReadonlyArray<string>): string =>
  `No connected agent can retry tasks of ${engines.join(", ")}. They wait until one connects.`

const mayWait = ({ action, status }: BulkWalk) => action === "cancel" && status === "running"

/** What callers see of bulk jobs: their counts, and what they wait for. */
export class BulkJobView extends Effect.Service<BulkJobView>()("svc/BulkJobView", {
  effect: Effect.gen(function*() {
    const engineAgents = yield* EngineAgents
    const memberNames = yield* MemberNames

    /** The walks of one project as callers see them. */
    const describeAll = Effect.fnUntraced(function*(jobs: ReadonlyArray<BulkWalk>) {
      const waiting = jobs.find(mayWait)
      const choose = waiting === undefined ? null : yield* engineAgents.chooseIn(waiting.project_id, actionOf.cancel)
      const nameOf = yield* memberNames.find(
        jobs.flatMap(({ created_by, project_id }) => created_by === null ? [] : [{ project_id, user_id: created_by }])
      )
      return jobs.map((job): BulkJob => {
        const { action, created_at, created_by, cursors, deadline_at, finished_at, id, project_id, status, total } = job
        const engines = choose === null || !mayWait(job)
          ? []
          : Object.keys(cursors).filter((engine) => choose(engine) === null).sort()
        return {
          id,
          project_id,
          act: action,
          filter: summarizeTerms(omitNullTerms(job.filter)),
          status,
          total,
          ...progressOf(job),
          note: engines.length === 0 ?
            null :
            `No connected agent can cancel tasks of ${engines.join(", ")}. They wait ` +
            `until one connects, and are skipped after ${deadline_at}.`,
          created_by,
          created_by_name: created_by === null ? null : nameOf({ project_id, user_id: created_by }),
          created_at,
          deadline_at,
          finished_at
        }
      })
    })

    const describe = Effect.fnUntraced(function*(job: BulkWalk) {
      const [view] = yield* describeAll([job])
      return view ?? (yield* Effect.dieMessage("one job has one description"))
    })

    /** The bulk retry as callers see it, with what it waits for. */
    const describeRetry = Effect.fnUntraced(function*(request: BulkRetry) {
      const { claimed, control_state, finished_at, project_id, target_agent_id } = request
      if (finished_at !== null) return publicOf(request, null)
      if (control_state !== "running") {
        const sentNote = claimed === 0
          ? ""
          : ` ${claimed} commands were sent before; their outcomes are still recorded.`
        return publicOf(request, `No task is retried: it is ${control_state}.${sentNote}`)
      }
      const choose = yield* engineAgents.chooseIn(project_id, actionOf.retry, target_agent_id)
      const waiting = request.engines.filter((engine) =>
        missingArgumentsNote(engine) === null && choose(engine) === null
      )
      return publicOf(request, waiting.length === 0 ? null : retryWaitNote(waiting))
    })

    return { describe, describeAll, describeRetry } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([EngineAgents.layer, MemberNames.layer]))
}
