import { Effect, Layer, Option } from "effect"
import { countFailures } from "../../../domain/alerting/DeliveryRetry.ts"
import { aboutChannel, type Notification } from "../../../domain/alerting/Notification.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { type AuditEntry, auditEntry } from "../../audit/Row.ts"
import { MembershipsRepo } from "../../identity/Memberships/Repo.ts"
import { DashboardPages } from "../../kernel/DashboardPages.ts"
import { Inbox } from "../../kernel/Inbox.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Deliveries } from "../Deliveries.ts"
import type { ClaimedDelivery } from "../Deliveries/Repo.ts"
import { type ChannelRow, ChannelsRepo, healthy } from "./Repo.ts"

/** What an attempt says about its channel. A refused message says nothing. */
export interface ChannelSign {
  readonly delivery: ClaimedDelivery
  readonly project: Notification["project"]
  readonly result: "accepted" | "failed" | "dead"
  readonly reason: string
}

interface Notice {
  readonly trigger: "channel.failing" | "channel.disabled"
  readonly title: string
  readonly text: string
  readonly reason: string
}

const failingNotice = ({ name, type }: ChannelRow, spell: string, percent: number, reason: string): Notice => ({
  trigger: "channel.failing",
  title: `The channel ${name} (${type}) fails`,
  text: `${spell} ${percent} % of its failure budget is used; at 100 % it is disabled.`,
  reason
})

const disabledNotice = ({ name, type }: ChannelRow, why: string, reason: string): Notice => ({
  trigger: "channel.disabled",
  title: `The channel ${name} (${type}) was disabled`,
  text: `${why} No messages are sent to it. Correct the channel, test it, then set it active again.`,
  reason
})

const noticeOf = (
  channel: ChannelRow,
  { reason, text, title, trigger }: Notice,
  project: Notification["project"],
  pages: DashboardPages,
  now: Timestamp.Timestamp
): Notification => ({
  kind: "notice",
  trigger,
  severity: trigger === "channel.disabled" ? "error" : "warning",
  project,
  title,
  text,
  facts: [
    { name: "Channel", value: channel.name },
    { name: "Type", value: channel.type },
    { name: "Last error", value: reason }
  ],
  dedup_key: `channel-${channel.id}`,
  occurrences: Math.max(1, channel.consecutive_failures),
  first_at: channel.failing_since ?? now,
  last_at: now,
  ...aboutChannel,
  links: {
    ...aboutChannel.links,
    view: pages.urlOf(
      `${
        channel.project_id === null || project === null ? "/account" : `/projects/${project.slug}`
      }/notifications?part=channels&channel=${channel.id}`
    )
  }
})

/**
 * Counts the failures of channels, and disables those that do not heal: at once when no message will ever be accepted
 * again, else when the failure budget is used up, after warnings at 50, 70 and 90 %.
 */
export class ChannelHealth extends Effect.Service<ChannelHealth>()("svc/ChannelHealth", {
  effect: Effect.gen(function*() {
    const repo = yield* ChannelsRepo
    const members = yield* MembershipsRepo
    const deliveries = yield* Deliveries
    const inbox = yield* Inbox
    const pages = yield* DashboardPages
    const { channelFailureBudgetHours } = yield* Settings
    const budgetSeconds = channelFailureBudgetHours * 3600

    const sendNotice = Effect.fnUntraced(
      function*(channel: ChannelRow, notice: Notice, sign: ChannelSign, now: Timestamp.Timestamp) {
        const { project_id, user_id } = channel
        const notification = noticeOf(channel, notice, sign.project, pages, now)
        const about = project_id ?? sign.delivery.project_id
        const other = yield* repo.findOther(channel)
        yield* deliveries.enqueue(
          Option.toArray(other).map((healthier) => ({
            project_id: about,
            user_id,
            subscription_id: null,
            channel: healthier,
            notification
          }))
        )
        if (about === null) return
        const readers = user_id === null
          ? (yield* members.listActive([about])).filter(({ role }) => role === "admin").map((admin) => admin.user_id)
          : [user_id]
        yield* inbox.insert(readers.map((reader) => ({
          user_id: reader,
          project_id: about,
          subscription_id: null,
          alert_id: null,
          trigger: notice.trigger,
          reason: "channel",
          title: notice.title,
          body: notice.text,
          data: {
            channel_id: channel.id,
            channel_name: channel.name,
            channel_type: channel.type,
            is_personal: user_id !== null,
            error: notice.reason
          }
        })))
      }
    )

    const disable = Effect.fnUntraced(
      function*(channel: ChannelRow, why: string, sign: ChannelSign, now: Timestamp.Timestamp) {
        yield* repo.setHealth(channel.id, {
          is_active: false,
          disabled_at: now,
          disabled_reason: why,
          updated_at: now
        })
        yield* sendNotice(channel, disabledNotice(channel, why, sign.reason), sign, now)
        return auditEntry("channel.disabled", "channel", channel.id, {
          project_id: channel.project_id,
          metadata: { name: channel.name, type: channel.type, reason: why }
        })
      }
    )

    const updateHealth = Effect.fnUntraced(
      function*(channel: ChannelRow, signs: ReadonlyArray<ChannelSign>, now: Timestamp.Timestamp) {
        const dead = signs.find(({ result }) => result === "dead")
        if (dead !== undefined) {
          if (!channel.is_active) return []
          return [yield* disable(channel, `Its provider refuses every message: ${dead.reason}.`, dead, now)]
        }
        const last = signs.findLast(({ result }) => result === "failed")
        if (last === undefined || signs.some(({ result }) => result === "accepted")) {
          if (channel.consecutive_failures > 0) yield* repo.setHealth(channel.id, healthy)
          return []
        }
        const { percent, warns, ...health } = countFailures(channel, signs.length, now, budgetSeconds)
        yield* repo.setHealth(channel.id, health)
        if (!channel.is_active) return []
        const spell =
          `No message was accepted since ${
            Timestamp.formatMinute(health.failing_since)
          }, in ${health.consecutive_failures} ` +
          `attempts. The last error: ${last.reason}.`
        if (percent >= 100) return [yield* disable(channel, spell, last, now)]
        if (warns) yield* sendNotice(channel, failingNotice(channel, spell, percent, last.reason), last, now)
        return []
      }
    )

    /** Counts what attempts say, in the caller's transaction; returns what is to be audited. */
    const observe = Effect.fn("ChannelHealth.observe")(
      function*(signs: ReadonlyArray<ChannelSign>, now: Timestamp.Timestamp) {
        const ids = [...new Set(signs.map(({ delivery }) => delivery.channel_id))]
        if (ids.length === 0) return []
        const entries: Array<AuditEntry> = []
        for (const channel of yield* repo.lock(ids)) {
          const own = signs.filter(({ delivery }) => delivery.channel_id === channel.id)
          entries.push(...(yield* updateHealth(channel, own, now)))
        }
        return entries
      }
    )

    return { observe } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ChannelsRepo.layer, DashboardPages.layer, Deliveries.layer, Inbox.layer, MembershipsRepo.layer])
  )
}
