import { Effect, Option, Stream } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { ChangePosition } from "../../../domain/tasks/LiveTask.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import { ChangeBatch } from "./ChangeBatch.ts"
import { type LiveTasksRepo, pageSize } from "./Repo.ts"

/** A client that missed more tasks than this loads the list again. */
const maxCatchUpTasks = 2000

/** Clients that catch up concurrently. */
const maxCatchUps = 2

export const makeCatchUp = Effect.fnUntraced(function*(repo: LiveTasksRepo) {
  const catchUpPermits = yield* Effect.makeSemaphore(maxCatchUps)

  /**
   * The changes between two positions. Collects in `sentTimes` the tasks that a later batch may repeat. Too many end
   * with a reset.
   */
  return (
    projectId: ProjectId,
    from: ChangePosition,
    to: ChangePosition,
    commitHorizon: Timestamp.Timestamp | null,
    sentTimes: Map<string, string>
  ): Stream.Stream<ChangeBatch> => {
    const horizon = repo.rewind(to, commitHorizon).updated_at
    const overlaps = horizon < to.updated_at
    const next = Effect.fnUntraced(function*({ at, count }: { readonly at: ChangePosition; readonly count: number }) {
      const rows = yield* catchUpPermits.withPermits(1)(
        Effect.zipLeft(repo.listPage(projectId, at, to), yieldToEventLoop)
      )
      const last = rows[rows.length - 1]
      if (count + rows.length > maxCatchUpTasks) {
        return [ChangeBatch.reset(to, 0, commitHorizon), Option.none()] as const
      }
      if (overlaps) { for (const row of rows) if (row.updated_at >= horizon) sentTimes.set(row.id, row.updated_at) }
      const more = last === undefined || rows.length < pageSize
        ? Option.none()
        : Option.some({ at: last, count: count + rows.length })
      return [ChangeBatch.tasks(rows, 0, from, commitHorizon), more] as const
    })
    return Stream.filter(
      Stream.paginateEffect({ at: repo.rewind(from, null), count: 0 }, next),
      ({ messages }) => messages.length > 0
    )
  }
})
