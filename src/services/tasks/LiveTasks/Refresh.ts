import { Clock, Effect, PubSub } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { ChangePosition, LiveTask } from "../../../domain/tasks/LiveTask.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Metrics } from "../../kernel/Metrics.ts"
import { ChangeBatch } from "./ChangeBatch.ts"
import { maxTasksAfter, millisAfterRefresh, millisAfterReset, type StreamLoad } from "./Pace.ts"
import { type LiveTasksRepo, pageSize } from "./Repo.ts"

/** A project without changes publishes an empty batch this often: its streams send it as a heartbeat. */
const heartbeatMillis = 10_000

/** How far behind the clock a feed starts: a transaction takes its time before it commits. */
export const commitSeconds = 1

/** A project with subscribers, and the position up to which its changes are published. */
export interface ProjectFeed {
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

export const isHeartbeatDue = ({ publishedAt }: ProjectFeed, now: number): boolean =>
  now - publishedAt >= heartbeatMillis

/** Reads what has changed in a project, and publishes it to the feed's subscribers. */
export const makeRefresh = Effect.fnUntraced(function*(repo: LiveTasksRepo) {
  const metrics = yield* Metrics

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
  return Effect.fnUntraced(
    function*(project: ProjectFeed, commitHorizon: Timestamp.Timestamp | null, load: StreamLoad) {
      const now = yield* Clock.currentTimeMillis
      const most = maxTasksAfter(now - project.refreshedAt, load)
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
      if (isHeartbeatDue(project, now)) {
        yield* publish(
          project,
          ChangeBatch.tasks([], project.batchNumber + 1, project.position, commitHorizon),
          project.position,
          now
        )
      }
      project.refreshedAt = now
    }
  )
})
