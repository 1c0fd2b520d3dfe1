import { Chunk, Clock, Effect, Option, PubSub, Queue, Stream } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { ChangePosition, LiveTask } from "../../domain/tasks/LiveTask.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import * as Ids from "../kernel/Ids.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { ChangeBatch, type LiveMessage } from "./LiveTasks/ChangeBatch.ts"
import {
  maxTasksAfter,
  millisAfterRefresh,
  millisAfterReset,
  millisBetweenPolls,
  millisBetweenRefreshes
} from "./LiveTasks/Pace.ts"
import { makeLiveTasksRepo, pageSize } from "./LiveTasks/Repo.ts"

export type { LiveMessage } from "./LiveTasks/ChangeBatch.ts"

/** A client that missed more seconds or tasks than this loads the list again. */
const maxGapSeconds = 300
const maxCatchUpTasks = 2000

/** Batches queued for a slow subscriber. It loses older ones, and gets a `reset`. */
const capacity = 32

/** A project without changes publishes an empty batch this often, which shows that the stream is alive. */
const keepAliveMillis = 15_000

/** Clients that catch up concurrently. */
const maxCatchUps = 2

/** How far behind the clock a feed starts: a transaction takes its time before it commits. */
const commitSeconds = 1

/** A project with subscribers, and the position up to which its changes are published. */
interface ProjectFeed {
  readonly projectId: ProjectId
  readonly hub: PubSub.PubSub<ChangeBatch>
  subscribers: number
  position: ChangePosition
  /** The time before which all changes were committed when they were last read; null: as far as `position`. */
  commitHorizon: Timestamp.Timestamp | null
  /** `updated_at` by id, of sent tasks that may be read again. */
  sent: Map<string, string>
  /** The number of the last published batch. */
  batchNumber: number
  isHinted: boolean
  /** Milliseconds since 1970. */
  refreshedAt: number
  publishedAt: number
  pausedUntil: number
}

/**
 * The changes of a project, in the order of (updated_at, id). They are read from the tasks themselves, so any replica
 * can continue where another one stopped. A replica reads once for all subscribers of a project. Several changes of
 * one task between two reads are one message with the newest state.
 */
export class LiveTasks extends Effect.Service<LiveTasks>()("svc/LiveTasks", {
  scoped: Effect.gen(function*() {
    const repo = yield* makeLiveTasksRepo
    const hints = yield* Hints
    const loops = yield* Loops
    const metrics = yield* Metrics
    const catchUpPermits = yield* Effect.makeSemaphore(maxCatchUps)
    const feeds = new Map<string, ProjectFeed>()
    const hasFeeds = yield* Effect.makeLatch(false)

    const currentLoad = () => {
      let streams = 0
      for (const { subscribers } of feeds.values()) streams += subscribers
      return { streams, projects: feeds.size }
    }

    /**
     * Sets the number first: a subscriber that arrives in between already counts the batch as known. `unsafeOffer`
     * would not slide.
     */
    const publish = (feed: ProjectFeed, batch: ChangeBatch, position: ChangePosition, at: number) =>
      Effect.suspend(() => {
        feed.batchNumber = batch.number
        feed.position = position
        feed.publishedAt = at
        return PubSub.publish(feed.hub, batch)
      })

    const publishTasks = Effect.fnUntraced(function*(feed: ProjectFeed, tasks: ReadonlyArray<LiveTask>, at: number) {
      const last = tasks[tasks.length - 1]
      const isLater = last !== undefined && last.updated_at >= feed.position.updated_at
      const batch = ChangeBatch.tasks(tasks, feed.batchNumber + 1, feed.position, feed.commitHorizon)
      for (const task of tasks) feed.sent.set(task.id, task.updated_at)
      yield* publish(feed, batch, isLater ? { updated_at: last.updated_at, id: last.id } : feed.position, at)
    })

    const publishReset = Effect.fnUntraced(function*(feed: ProjectFeed, at: number) {
      const updated_at = Timestamp.addSeconds(yield* Timestamp.now, -commitSeconds)
      const position = updated_at > feed.position.updated_at ? { updated_at, id: Ids.minId } : feed.position
      yield* publish(feed, ChangeBatch.reset(position, feed.batchNumber + 1, feed.commitHorizon), position, at)
      feed.pausedUntil = at + millisAfterReset
      metrics.liveResets.inc({ reason: "many_changes" })
    })

    /**
     * Publishes the changes since the last refresh, page by page; a `reset` when they exceed the limit of the streams.
     * `commitHorizon` is read before them: the next refresh finds what was committed in between.
     */
    const refresh = Effect.fnUntraced(function*(project: ProjectFeed, commitHorizon: Timestamp.Timestamp | null) {
      const now = yield* Clock.currentTimeMillis
      const most = maxTasksAfter(now - project.refreshedAt, currentLoad())
      project.isHinted = false
      metrics.livePolls.inc()
      let from = repo.rewind(project.position, project.commitHorizon)
      for (let count = 0;;) {
        const rows = yield* repo.listPage(project.projectId, from, null)
        const fresh = rows.filter((row) => project.sent.get(row.id) !== row.updated_at)
        count += fresh.length
        if (count > most) {
          yield* publishReset(project, now)
          break
        }
        if (fresh.length > 0) yield* publishTasks(project, fresh, now)
        const last = rows[rows.length - 1]
        if (last === undefined || rows.length < pageSize) break
        from = last
        yield* yieldToEventLoop
      }
      project.commitHorizon = commitHorizon
      const horizon = repo.rewind(project.position, commitHorizon).updated_at
      for (const [id, at] of project.sent) {
        if (at < horizon || horizon === project.position.updated_at) project.sent.delete(id)
      }
      if (commitHorizon !== null) {
        const pause = millisAfterRefresh(now - Timestamp.toEpochMillis(commitHorizon))
        project.pausedUntil = Math.max(project.pausedUntil, now + pause)
      }
      if (now - project.publishedAt >= keepAliveMillis) {
        yield* publish(
          project,
          ChangeBatch.tasks([], project.batchNumber + 1, project.position, commitHorizon),
          project.position,
          now
        )
      }
      project.refreshedAt = now
    })

    const refreshDue = Effect.gen(function*() {
      yield* hasFeeds.await
      yield* Effect.sleep(millisBetweenRefreshes(currentLoad()))
      const now = yield* Clock.currentTimeMillis
      const pollMillis = millisBetweenPolls(currentLoad())
      const due = [...feeds.values()].filter(({ isHinted, refreshedAt, pausedUntil }) =>
        pausedUntil <= now && (isHinted || now - refreshedAt >= pollMillis)
      )
      if (due.length === 0) return
      const commitHorizon = yield* repo.readCommitHorizon
      yield* Effect.forEach(due, (project) => refresh(project, commitHorizon), { discard: true })
    })
    yield* loops.forever("live tasks", refreshDue, { longestPause: "5 seconds" })
    yield* loops.forever(
      "live hints",
      Stream.runForEach(hints.subscribe("tasks"), (projectId) =>
        Effect.sync(() => {
          const project = feeds.get(projectId)
          if (project !== undefined) project.isHinted = true
        }))
    )

    /**
     * The first refresh reads from the client's position where that is later than the horizon. A position is never
     * later than the horizon at the time of its message, so all changes before it were committed and read.
     */
    const openFeed = Effect.fnUntraced(function*(projectId: ProjectId, from: ChangePosition | null) {
      const now = yield* Clock.currentTimeMillis
      const updated_at = Timestamp.addSeconds(yield* Timestamp.now, -commitSeconds)
      const horizon = yield* repo.readCommitHorizon
      const isLater = horizon !== null && from !== null && from.updated_at > horizon && from.updated_at < updated_at
      const hub = yield* PubSub.sliding<ChangeBatch>(capacity)
      const existing = feeds.get(projectId)
      if (existing !== undefined) {
        existing.subscribers++
        return existing
      }
      const feed: ProjectFeed = {
        projectId,
        hub,
        subscribers: 1,
        position: { updated_at, id: Ids.minId },
        commitHorizon: isLater ? from.updated_at : horizon,
        sent: new Map(),
        batchNumber: 0,
        isHinted: false,
        refreshedAt: now,
        publishedAt: now,
        pausedUntil: 0
      }
      feeds.set(projectId, feed)
      hasFeeds.unsafeOpen()
      return feed
    })

    const acquireFeed = (projectId: ProjectId, from: ChangePosition | null) =>
      Effect.acquireRelease(
        openFeed(projectId, from),
        (feed) =>
          Effect.sync(() => {
            if (--feed.subscribers > 0) return
            feeds.delete(projectId)
            if (feeds.size === 0) hasFeeds.unsafeClose()
          })
      )

    /**
     * The changes between two positions. Collects in `sentTimes` the tasks that a later batch may repeat. Too many end
     * with a reset.
     */
    const catchUp = (
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
