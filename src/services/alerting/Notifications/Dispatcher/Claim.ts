import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import { Metrics } from "../../../kernel/Metrics.ts"
import { ChannelsRepo } from "../../Channels/Repo.ts"
import { channelsPerPoll, type ClaimedDelivery, DeliveriesRepo, type WaitingChannel } from "../../Deliveries/Repo.ts"
import type { InFlight } from "./InFlight.ts"
import type { TargetRates } from "./TargetRates.ts"

/** A claim that is older was made by a process that has died. Longer than a send and its wait for the target's rate. */
const leaseSeconds = 60

/** The loop polls at least this often: a hint may be lost. */
export const pollMillis = 1000

/** A target whose rate is used up is polled again after this, so that one claim takes several messages. */
const ratePauseMillis = 40

/** Deliveries that one statement suppresses. */
const suppressSlice = 500

const isFailing = ({ consecutive_failures }: WaitingChannel): boolean => (consecutive_failures ?? 0) > 0

/** Whether messages are sent to it. */
const isOpen = ({ is_active, is_owner_active }: WaitingChannel): boolean => is_active === true && is_owner_active

/** Takes what is due out of the queue, as much as this process has room for. */
export const makeClaims = Effect.fnUntraced(function*(inFlight: InFlight, rates: TargetRates) {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* DeliveriesRepo
  const channels = yield* ChannelsRepo
  const metrics = yield* Metrics
  /** The next poll begins after this channel, so that no channel waits for all others. */
  let cursor: string | null = null

  const suppress = Effect.fnUntraced(function*(channel: WaitingChannel, now: Timestamp.Timestamp) {
    const { channel_id, is_active, is_owner_active } = channel
    const reason = is_active === null
      ? "The channel was deleted."
      : is_owner_active
      ? "The channel is not active."
      : "The owner of the channel may not sign in."
    const rows = yield* repo.suppress(channel_id, reason, now, suppressSlice)
    for (const { channel_type } of rows) {
      metrics.deliveries.inc({ type: String(channel_type), outcome: "suppressed" })
    }
    return rows.length
  })

  /** How many deliveries of the channel may be claimed now. */
  const capacityOf = (channel: WaitingChannel, nowMillis: number): number =>
    Math.min(inFlight.roomOf(channel.channel_id, isFailing(channel)), rates.available(channel.channel_id, nowMillis))

  /** Claims for the channels in turn. */
  const claimFor = Effect.fnUntraced(
    function*(ready: ReadonlyArray<WaitingChannel>, now: Timestamp.Timestamp) {
      const nowMillis = Timestamp.toEpochMillis(now)
      const until = Timestamp.addSeconds(now, leaseSeconds)
      const room = inFlight.room()
      const claimed: Array<ClaimedDelivery> = []
      const busy = yield* repo.lockBatches(now)
      const share = Math.max(1, Math.floor(room.all / Math.max(1, ready.length)))
      for (const channel of ready) {
        const fails = isFailing(channel)
        const limit = Math.min(capacityOf(channel, nowMillis), share, room.all, fails ? room.failing : room.all)
        if (limit <= 0) continue
        const rows = yield* repo.claim({ channelId: channel.channel_id, isFailing: fails, limit, now, until, busy })
        claimed.push(...rows)
        room.all -= rows.length
        if (fails) room.failing -= rows.length
      }
      return claimed
    },
    sql.withTransaction
  )

  const withConfigs = Effect.fnUntraced(function*(added: ReadonlyArray<ClaimedDelivery>) {
    if (added.length === 0) return []
    const configs = yield* channels.listConfigs([...new Set(added.map(({ channel_id }) => channel_id))]).pipe(
      Effect.onError(() => Effect.sync(() => added.forEach(inFlight.remove))) // their leases end by themselves
    )
    const sealed = new Map<string, string>(configs.map(({ id, sealed_config }) => [id, sealed_config]))
    return added.map((delivery) => ({ delivery, sealedConfig: sealed.get(delivery.channel_id) }))
  })

  /** Claims what is to be sent; returns the milliseconds until the next poll, too. */
  return Effect.gen(function*() {
    inFlight.endPoll(0) // a poll without room claims none
    if (inFlight.room().all <= 0) return { claims: [], pause: pollMillis }
    const now = yield* Timestamp.now
    const waiting = yield* repo.listWaiting(cursor, yield* repo.listBusyBatches(now))
    const isPartial = waiting.length === channelsPerPoll
    const nowMillis = Timestamp.toEpochMillis(now)
    let suppressed = 0
    for (const channel of waiting) if (!isOpen(channel)) suppressed += yield* suppress(channel, now)
    const due = waiting.filter((channel) => isOpen(channel) && channel.due_at !== null && channel.due_at <= now)
    for (const channel of due) inFlight.setFailing(channel.channel_id, isFailing(channel))
    const ready = due.filter((channel) => capacityOf(channel, nowMillis) > 0)
    const claimed = ready.length === 0 ? [] : yield* claimFor(ready, now)
    const lastClaimed = claimed.at(-1)
    const isFull = lastClaimed !== undefined && ready.at(-1)?.channel_id !== lastClaimed.channel_id
    inFlight.endPoll(claimed.length)
    cursor = isFull ? lastClaimed.channel_id : isPartial ? waiting.at(-1)?.channel_id ?? null : null
    const claims = yield* withConfigs(inFlight.add(claimed))
    const next = waiting.map(({ channel_id, due_at }) => {
      if (due_at === null) return pollMillis // the end of a send of the batch wakes the loop
      if (due_at > now) return Timestamp.toEpochMillis(due_at) - nowMillis
      const wait = rates.waitOf(channel_id, nowMillis)
      return wait > 0 ? Math.max(ratePauseMillis, wait) : pollMillis // the end of a send wakes the loop
    })
    const hasMore = suppressed + claimed.length > 0 || cursor !== null
    return { claims, pause: hasMore ? 0 : Math.min(pollMillis, ...next.map((wait) => Math.max(1, wait))) }
  })
})
