import { Cache, Duration, Effect, Exit, Layer } from "effect"
import type { BulkJob } from "../../../domain/commands/BulkJob.ts"
import { type BulkRetryRequestPublic, canonicalizerVersion } from "../../../domain/commands/BulkRetry.ts"
import { noOutcomes, type TaskOutcomes } from "../../../domain/commands/BulkRetry/TaskOutcome.ts"
import type { BulkRetryId } from "../../../domain/kernel/Id.ts"
import { omitNullTerms, summarizeTerms } from "../../../domain/kernel/Query.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { missingArgumentsNote } from "../../../domain/tasks/Retry.ts"
import { hidePayloadQuery } from "../../../domain/tasks/Task/Filter.ts"
import { MemberNames } from "../../identity/MemberNames.ts"
import { canReadPayload } from "../../kernel/CurrentActor.ts"
import { EngineAgents } from "../EngineAgents.ts"
import { actionOf } from "./Issues.ts"
import { BulkRetryItemsRepo } from "./Retry/ItemsRepo.ts"
import { type BulkRetry, type BulkWalk, progressOf } from "./Row.ts"

/** A bulk retry as callers see it. */
const publicOf = (request: BulkRetry, outcomes: TaskOutcomes | null, note: string | null): BulkRetryRequestPublic => {
  const { action: _action, claimed, engines: _engines, failed, resolved_at: _resolvedAt, succeeded, total, ...rest } =
    request
  const { unknown, unobserved, ...columns } = rest
  const pending = total - claimed - failed - succeeded - unknown - unobserved
  return {
    ...columns,
    canonicalizer_version: canonicalizerVersion,
    counts: { total, pending, claimed, unobserved, succeeded, failed, unknown },
    outcomes,
    sealed_at: columns.sealed_at ?? columns.created_at, // the repository shows sealed jobs only
    note
  }
}

export const retryWaitNote = (engines: ReadonlyArray<string>): string =>
  `No connected agent can retry tasks of ${engines.join(", ")}. They wait until one connects.`

/** Retried tasks whose outcomes are counted for each reader: some 50 ms. */
const maxCountedTasks = 10_000

/** Beyond that they are counted again after so many times as long as the count took. */
const restFactor = 20

/** The outcomes of so many retried tasks: those that were retried after the count wait. */
const fitTo = (retried: number, counted: TaskOutcomes = noOutcomes): TaskOutcomes => {
  const { cancelled, failed, succeeded, unknown } = counted
  return { ...counted, waiting: Math.max(0, retried - succeeded - failed - cancelled - unknown) }
}

/** Hides what the actor may not see of a filter. */
const forReader = Effect.map(
  canReadPayload,
  (isReader) => <A extends { readonly filter: Readonly<Record<string, unknown>> }>(job: A): A =>
    isReader ? job : { ...job, filter: hidePayloadQuery(job.filter) }
)

const mayWait = ({ action, status }: BulkWalk) => action === "cancel" && status === "running"

/** What callers see of bulk jobs: their counts, and what they wait for. */
export class BulkJobView extends Effect.Service<BulkJobView>()("svc/BulkJobView", {
  effect: Effect.gen(function*() {
    const engineAgents = yield* EngineAgents
    const memberNames = yield* MemberNames
    const items = yield* BulkRetryItemsRepo
    const countOutcomes = (id: BulkRetryId) => Effect.flatMap(Timestamp.now, (now) => items.countOutcomes([id], now))
    const countedOutcomes = yield* Cache.makeWith({
      capacity: 256,
      lookup: (id: BulkRetryId) => Effect.timed(countOutcomes(id)),
      timeToLive: Exit.match({
        onFailure: () => Duration.zero,
        onSuccess: ([took]) => Duration.times(took, restFactor)
      })
    })

    /** Every reader of a large request waits for one count. */
    const readOutcomes = ({ id, succeeded }: BulkRetry) => {
      if (succeeded === 0) return Effect.succeed(noOutcomes)
      const counted = succeeded <= maxCountedTasks
        ? countOutcomes(id)
        // the cache would pass the end of a reader that leaves on to the others
        : Effect.map(Effect.uninterruptible(countedOutcomes.get(id)), ([, counts]) => counts)
      return Effect.map(counted, (counts) => fitTo(succeeded, counts.get(id)))
    }

    /** The requests of a list without notes; the outcomes of the first ones, as many as may be counted. */
    const listRetries = Effect.fnUntraced(function*(requests: ReadonlyArray<BulkRetry>) {
      let tasks = 0
      const counted = requests.filter(({ succeeded }) => (tasks += succeeded) <= maxCountedTasks)
      const ids = counted.flatMap(({ id, succeeded }) => (succeeded === 0 ? [] : [id]))
      const counts = ids.length === 0
        ? new Map<string, TaskOutcomes>()
        : yield* items.countOutcomes(ids, yield* Timestamp.now)
      const known = new Set(counted)
      const show = yield* forReader
      return requests.map((request) =>
        publicOf(show(request), known.has(request) ? fitTo(request.succeeded, counts.get(request.id)) : null, null)
      )
    })

    /** The walks of one project as callers see them. */
    const describeAll = Effect.fnUntraced(function*(jobs: ReadonlyArray<BulkWalk>) {
      const waiting = jobs.find(mayWait)
      const choose = waiting === undefined ? null : yield* engineAgents.chooseIn(waiting.project_id, actionOf.cancel)
      const show = yield* forReader
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
          filter: show({ filter: summarizeTerms(omitNullTerms(job.filter)) }).filter,
          status,
          total,
          ...progressOf(job),
          note: engines.length === 0 ?
            null :
            `No connected agent can cancel tasks of ${engines.join(", ")}. They wait ` +
            `until one connects, and are skipped after ${Timestamp.formatMinute(deadline_at)}.`,
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
      const outcomes = yield* readOutcomes(request)
      const visible = (yield* forReader)(request)
      if (finished_at !== null) return publicOf(visible, outcomes, null)
      if (control_state !== "running") {
        const sentNote = claimed === 0
          ? ""
          : ` ${claimed} commands were sent before; their outcomes are still recorded.`
        return publicOf(visible, outcomes, `No task is retried: it is ${control_state}.${sentNote}`)
      }
      const choose = yield* engineAgents.chooseIn(project_id, actionOf.retry, target_agent_id)
      const waiting = request.engines.filter((engine) =>
        missingArgumentsNote(engine) === null && choose(engine) === null
      )
      return publicOf(visible, outcomes, waiting.length === 0 ? null : retryWaitNote(waiting))
    })

    return { describe, describeAll, describeRetry, listRetries } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkRetryItemsRepo.layer, EngineAgents.layer, MemberNames.layer])
  )
}
