import { Array as Arr, Effect, Layer } from "effect"
import type { Notification } from "../../../domain/alerting/Notification.ts"
import type { MessageKind } from "../../../domain/alerting/Notification/AlertDecision.ts"
import { type Share, textOf, titleOfKind } from "../../../domain/alerting/Notification/Message.ts"
import { describeShared, listDetails } from "../../../domain/alerting/Notification/Shared.ts"
import type { ProjectId, SubscriptionId, UserId } from "../../../domain/kernel/Id.ts"
import { addSeconds, type Timestamp, toEpochMillis } from "../../../domain/kernel/Timestamp.ts"
import { hasOwnInboxNotice, severities, type Trigger } from "../../../domain/triggers/Trigger.ts"
import { MembershipsRepo } from "../../identity/Memberships/Repo.ts"
import { DashboardPages } from "../../kernel/DashboardPages.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Inbox, type NewUserNotification } from "../../kernel/Inbox.ts"
import { type AlertChannel, type AlertRow, AlertsRepo } from "../AlertsRepo.ts"
import { Deliveries, type NewDelivery } from "../Deliveries.ts"
import { AlertLinks } from "./AlertLinks.ts"

/** Who gets the messages of a subscription. */
export interface Recipient {
  readonly subscription_id: SubscriptionId
  readonly project_id: ProjectId
  /** Null: a default of the project. */
  readonly user_id: UserId | null
  readonly in_app: boolean
  /** Whether the user may send to the project's channels; a default always does. */
  readonly may_use_project_channels: boolean
}

/** A message of an alert, as the alert is after it. */
export interface Message {
  readonly kind: MessageKind | "acknowledged"
  readonly alert: AlertRow
  readonly recipient: Recipient
}

const failing: ReadonlySet<Trigger> = new Set<Trigger>(["task.failed", "task.retries_exhausted"])

/** Names whose share of failures one transaction counts. Messages about others have none. */
const maxShares = 20

/** A failed task was received before its failure: tasks of so long before count as well. */
const shareLeadSeconds = 3600

/** The key of a name's share; null: the message has none. */
const shareKeyOf = ({ alert: { details, project_id, trigger_key }, kind }: Message): string | null =>
  details.task_name === null || details.is_single || !failing.has(trigger_key) || kind === "recovered" ||
    kind === "acknowledged"
    ? null
    : `${project_id} ${details.task_name}`

/** Which of its channels get a kind of message. */
const isFor = ({ alert, kind, recipient }: Message, channel: AlertChannel): boolean => {
  if (channel.user_id === null ? !recipient.may_use_project_channels : channel.user_id !== recipient.user_id) {
    return false
  }
  switch (kind) {
    case "escalation":
      return channel.purpose === "escalation"
    case "recovered":
    case "acknowledged":
      return channel.purpose === "message" || alert.escalated_at !== null
    default:
      return channel.purpose === "message"
  }
}

/** Without the links that act on the alert, which each channel signs for itself. `view`: its page. */
const makeNotification = (
  { alert, kind }: Message,
  project: Notification["project"] & object,
  view: string | null,
  share: Share | null,
  now: Timestamp
): Notification => {
  const { details, id, occurrences, trigger_key } = alert
  const shared = describeShared(details.tallies, occurrences)
  const facts = [
    { name: "Trigger", value: trigger_key },
    { name: "Occurrences", value: String(occurrences) },
    ...(details.worker === null ? [] : [{ name: "Last worker", value: details.worker }]),
    ...(shared.length === 0 ? [] : [{ name: "In common", value: shared.join(", ") }]),
    ...listDetails(details.tallies).slice(1, 4).map(([text, count]) => ({ name: `Also (${count})`, value: text }))
  ]
  return {
    kind,
    trigger: trigger_key,
    severity: severities[trigger_key],
    project,
    title: alert.title,
    text: textOf(kind, alert, now, share),
    facts,
    dedup_key: alert.condition_key,
    alert_id: id,
    occurrences,
    first_at: alert.first_at,
    last_at: alert.last_at,
    engine: details.engine,
    task_id: details.task_id,
    task_name: details.task_name,
    queue: details.queue,
    worker: details.worker,
    exception: details.detail,
    fingerprint: details.fingerprint,
    links: { view, acknowledge: null, snooze: null }
  }
}

/** Whether the message gets links. A message that ends an alert's thread, or needs no action, has none. */
const isOpen = ({ alert, kind }: Message): boolean => alert.status === "open" && kind !== "acknowledged"

/** Whether the message appears in the inbox; some triggers have a notice of their own there. */
const isForInbox = ({ alert, kind, recipient }: Message): boolean =>
  recipient.in_app && kind !== "acknowledged" && kind !== "escalation" && !hasOwnInboxNotice(alert.trigger_key)

const makeInboxRow = (
  { alert, kind, recipient }: Message,
  notification: Notification,
  user_id: UserId
): NewUserNotification => ({
  user_id,
  project_id: alert.project_id,
  subscription_id: recipient.subscription_id,
  alert_id: alert.id,
  trigger: alert.trigger_key,
  reason: recipient.user_id === null ? "project_default" : "subscription",
  title: titleOfKind(kind, alert.trigger_key, alert.title),
  body: notification.text,
  data: {
    kind,
    severity: notification.severity,
    occurrences: alert.occurrences,
    engine: notification.engine,
    task_id: notification.task_id,
    task_name: notification.task_name,
    fingerprint: notification.fingerprint
  }
})

/** Creates the deliveries and inbox rows of alerts' messages, in the caller's transaction. */
export class AlertMessages extends Effect.Service<AlertMessages>()("svc/AlertMessages", {
  effect: Effect.gen(function*() {
    const repo = yield* AlertsRepo
    const memberships = yield* MembershipsRepo
    const deliveries = yield* Deliveries
    const inbox = yield* Inbox
    const links = yield* AlertLinks
    const pages = yield* DashboardPages

    const countShares = Effect.fnUntraced(function*(messages: ReadonlyArray<Message>) {
      const shares = new Map<string | null, Share>()
      for (const message of messages) {
        const { details, first_at, project_id } = message.alert
        const key = shareKeyOf(message)
        if (key === null || details.task_name === null || shares.has(key) || shares.size >= maxShares) continue
        const sinceId = Ids.minIdAt(toEpochMillis(addSeconds(first_at, -shareLeadSeconds)))
        shares.set(key, yield* repo.countFailed(project_id, details.task_name, sinceId))
      }
      return shares
    })

    const enqueue = Effect.fnUntraced(function*(messages: ReadonlyArray<Message>, now: Timestamp) {
      if (messages.length === 0) return
      const subscriptionIds = [...new Set(messages.map(({ recipient }) => recipient.subscription_id))]
      const projectIds = [...new Set(messages.map(({ alert }) => alert.project_id))]
      const projects = new Map((yield* repo.listProjects(projectIds)).map((project) => [project.id, project]))
      const channels = Arr.groupBy(yield* repo.listChannels(subscriptionIds), ({ subscription_id }) => subscription_id)
      const toAll = messages.some(({ recipient }) => recipient.in_app && recipient.user_id === null)
      const members = Arr.groupBy(
        toAll ? yield* memberships.listActive(projectIds) : [],
        ({ project_id }) => project_id
      )
      const sign = yield* links.makeSigner(now)
      const shares = yield* countShares(messages)
      const newDeliveries: Array<NewDelivery> = []
      const inboxRows: Array<NewUserNotification> = []
      for (const message of messages) {
        const { alert, recipient } = message
        const project = projects.get(alert.project_id)
        if (project === undefined) continue
        const view = pages.urlOf(`/projects/${project.slug}/notifications/alerts/${alert.id}`)
        const notification = makeNotification(message, project, view, shares.get(shareKeyOf(message)) ?? null, now)
        const seen = new Set<string>()
        for (const channel of channels[recipient.subscription_id] ?? []) {
          if (!isFor(message, channel) || seen.has(channel.id)) continue
          seen.add(channel.id)
          const signed = isOpen(message)
            ? {
              acknowledge: alert.acknowledged_at === null ? sign(alert.id, channel.id, "acknowledge") : null,
              snooze: sign(alert.id, channel.id, "snooze")
            }
            : {}
          newDeliveries.push({
            project_id: alert.project_id,
            user_id: channel.user_id,
            subscription_id: recipient.subscription_id,
            channel,
            notification: { ...notification, links: { ...notification.links, ...signed } }
          })
        }
        if (!isForInbox(message)) continue
        const users = recipient.user_id === null
          ? (members[alert.project_id] ?? []).map(({ user_id }) => user_id)
          : [recipient.user_id]
        inboxRows.push(...users.map((user_id) => makeInboxRow(message, notification, user_id)))
      }
      yield* deliveries.enqueue(newDeliveries)
      yield* inbox.insert(inboxRows)
      yield* repo.markFired(subscriptionIds, now)
    })

    return { enqueue } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      AlertLinks.layer,
      AlertsRepo.layer,
      DashboardPages.layer,
      Deliveries.layer,
      Inbox.layer,
      MembershipsRepo.layer
    ])
  )
}
