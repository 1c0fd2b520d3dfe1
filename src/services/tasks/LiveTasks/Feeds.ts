import { Clock, Effect, PubSub, Stream } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { ChangePosition } from "../../../domain/tasks/LiveTask.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Hints } from "../../kernel/sql/Database.ts"
import type { ChangeBatch } from "./ChangeBatch.ts"
import { millisBetweenPolls, millisBetweenRefreshes } from "./Pace.ts"
import { commitSeconds, isHeartbeatDue, makeRefresh, type ProjectFeed } from "./Refresh.ts"
import type { LiveTasksRepo } from "./Repo.ts"

/** Batches queued for a slow subscriber. It loses older ones, and gets a `reset`. */
const capacity = 32

/**
 * The projects with subscribers. A loop reads the changes of those that are due, and publishes them to their
 * subscribers. `acquireFeed` adds a subscriber for the scope.
 */
export const makeFeeds = Effect.fnUntraced(function*(repo: LiveTasksRepo) {
  const hints = yield* Hints
  const loops = yield* Loops
  const refresh = yield* makeRefresh(repo)
  const feeds = new Map<string, ProjectFeed>()
  const hasFeeds = yield* Effect.makeLatch(false)

  const currentLoad = () => {
    let streams = 0
    for (const { subscribers } of feeds.values()) streams += subscribers
    return { streams, projects: feeds.size }
  }

  const refreshDue = Effect.gen(function*() {
    yield* hasFeeds.await
    yield* Effect.sleep(millisBetweenRefreshes(currentLoad()))
    const now = yield* Clock.currentTimeMillis
    const pollMillis = millisBetweenPolls(currentLoad())
    const due = [...feeds.values()].filter((feed) =>
      feed.pausedUntil <= now &&
      (feed.isHinted || now - feed.refreshedAt >= pollMillis || isHeartbeatDue(feed, now))
    )
    if (due.length === 0) return
    const commitHorizon = yield* repo.readCommitHorizon
    yield* Effect.forEach(due, (project) => refresh(project, commitHorizon, currentLoad()), { discard: true })
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

  return { acquireFeed } as const
})
