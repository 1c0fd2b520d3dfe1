import { Effect } from "effect"
import { RateLimited, Unavailable } from "../../../domain/kernel/Errors.ts"
import type { UserId } from "../../../domain/kernel/Id.ts"
import { Metrics } from "../../../services/kernel/Metrics.ts"
import { Settings } from "../../../services/kernel/Settings.ts"

/** Counts open live streams, per user and in all. */
export const makeSlots = Effect.gen(function*() {
  const { liveStreams, liveStreamsPerUser } = yield* Settings
  const metrics = yield* Metrics
  const byUser = new Map<string, number>()
  let total = 0

  const tooManyOfUser = new RateLimited({
    detail:
      `You have ${liveStreamsPerUser} live streams open, the maximum of one user (SVC_LIVE_STREAMS_PER_USER). Close one, then try again.`
  })
  const tooMany = new Unavailable({
    detail:
      `${liveStreams} live streams are open, the maximum of this server (SVC_LIVE_STREAMS). Try again later, or load the list.`
  })

  const acquireSlot = (userId: UserId) =>
    Effect.suspend((): Effect.Effect<void, RateLimited | Unavailable> => {
      const ofUser = byUser.get(userId) ?? 0
      if (ofUser >= liveStreamsPerUser) return tooManyOfUser
      if (total >= liveStreams) return tooMany
      byUser.set(userId, ofUser + 1)
      metrics.liveStreams.set(++total)
      return Effect.void
    })

  const releaseSlot = (userId: UserId) =>
    Effect.sync(() => {
      const ofUser = byUser.get(userId) ?? 0
      if (ofUser > 1) byUser.set(userId, ofUser - 1)
      else byUser.delete(userId)
      metrics.liveStreams.set(--total)
    })

  /** Takes a slot until the scope closes; fails if all are taken. */
  return (userId: UserId) => Effect.acquireRelease(acquireSlot(userId), () => releaseSlot(userId))
})
