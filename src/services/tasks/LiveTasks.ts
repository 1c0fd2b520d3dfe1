import { Chunk, Effect, PubSub, Queue, Stream } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { ChangePosition } from "../../domain/tasks/LiveTask.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { makeCatchUp } from "./LiveTasks/CatchUp.ts"
import { ChangeBatch, type LiveMessage } from "./LiveTasks/ChangeBatch.ts"
import { makeFeeds } from "./LiveTasks/Feeds.ts"
import { makeLiveTasksRepo } from "./LiveTasks/Repo.ts"

export type { LiveMessage } from "./LiveTasks/ChangeBatch.ts"

/** A client that missed more seconds than this loads the list again. */
const maxGapSeconds = 300

/**
 * The changes of a project, in the order of (updated_at, id). They are read from the tasks themselves, so any replica
 * can continue where another one stopped. A replica reads once for all subscribers of a project. Several changes of
 * one task between two reads are one message with the newest state.
 */
export class LiveTasks extends Effect.Service<LiveTasks>()("svc/LiveTasks", {
  scoped: Effect.gen(function*() {
    const repo = yield* makeLiveTasksRepo
    const metrics = yield* Metrics
    const { acquireFeed } = yield* makeFeeds(repo)
    const catchUp = yield* makeCatchUp(repo)

    /**
     * The batches of a project after `from`, the position of a client; null: from now on. Ends with `until`. A
     * subscriber that is too slow gets a `reset` instead of the batches that it missed.
     */
    const batches = (
      projectId: ProjectId,
      from: ChangePosition | null,
      until: Effect.Effect<void>
    ): Stream.Stream<ChangeBatch> =>
      Stream.unwrapScoped(Effect.gen(function*() {
        const feed = yield* acquireFeed(projectId, from)
        const queue = yield* PubSub.subscribe(feed.hub)
        yield* Effect.forkScoped(Effect.interruptible(Effect.zipRight(until, Queue.shutdown(queue))))
        const { batchNumber, position, commitHorizon } = feed
        const sentTimes = new Map<string, string>()
        let expected = from === null ? null : batchNumber + 1

        const filterBatch = (batch: ChangeBatch): ReadonlyArray<ChangeBatch> => {
          if (expected !== null && batch.number < expected) return []
          const hasGap = expected !== null && batch.number > expected
          expected = batch.number + 1
          if (hasGap) metrics.liveResets.inc({ reason: "slow_reader" })
          if (sentTimes.size > 0 && repo.rewind(batch.from, batch.commitHorizon).updated_at > position.updated_at) {
            sentTimes.clear()
          }
          const rest = sentTimes.size === 0 ? batch : batch.without(sentTimes)
          return hasGap ? [ChangeBatch.reset(batch.from, 0, batch.commitHorizon), rest] : [rest]
        }
        const liveBatches = Stream.mapChunks(
          Stream.fromQueue(queue),
          Chunk.flatMap((batch) => Chunk.fromIterable(filterBatch(batch)))
        )
        if (from === null) return liveBatches
        const oldest = Timestamp.addSeconds(yield* Timestamp.now, -maxGapSeconds)
        const missedBatches = from.updated_at < oldest
          ? Stream.succeed(ChangeBatch.reset(position, 0, commitHorizon))
          : catchUp(projectId, from, position, commitHorizon, sentTimes)
        return Stream.concat(missedBatches, liveBatches)
      }))

    /** The messages of `batches`. Endless; the caller ends it. */
    const stream = (projectId: ProjectId, from: ChangePosition | null): Stream.Stream<LiveMessage> =>
      Stream.mapConcat(batches(projectId, from, Effect.never), ({ messages }) => messages)

    return { batches, stream } as const
  })
}) {
  static readonly layer = this.Default
}
