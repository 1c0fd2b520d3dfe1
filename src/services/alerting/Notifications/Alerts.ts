import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { Alert, ListAlerts } from "../../../domain/alerting/Notification/Alert.ts"
import { describeShared } from "../../../domain/alerting/Notification/Shared.ts"
import { system } from "../../../domain/kernel/Actor.ts"
import { Conflict, Forbidden, NotFound, ValidationFailed } from "../../../domain/kernel/Errors.ts"
import { AlertId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { severities } from "../../../domain/triggers/Trigger.ts"
import { Audit } from "../../audit/Audit.ts"
import { CurrentActor, CurrentProject, requireRole } from "../../kernel/CurrentActor.ts"
import { inTransaction, orDieOnSql } from "../../kernel/sql/Database.ts"
import { decodeStart, pageOf } from "../../kernel/sql/RowPage.ts"
import { orFail } from "../../kernel/sql/Rows.ts"
import { type AlertRow, AlertsRepo, type VisibleRow } from "../AlertsRepo.ts"
import { type AlertLink, AlertLinks } from "./AlertLinks.ts"
import { AlertMessages } from "./AlertMessages.ts"
import { SubscriptionMatcher } from "./SubscriptionMatcher.ts"

const list = "alerts"
const maxSnoozeSeconds = 30 * Timestamp.secondsPerDay
const alertNotFound = new NotFound({ resource: "alert" })
const alertEnded = new Conflict({
  code: "alert_ended",
  detail: "The alert has ended, so there is nothing to acknowledge or snooze."
})
const linkInvalid = new Forbidden({
  code: "alert_link_invalid",
  detail: "The link is wrong or older than 7 days. Acknowledge the alert in the dashboard or with svc alerts ack."
})

const toPublic = ({ details, recovered_at, trigger_key, user_id, ...row }: VisibleRow): Alert => ({
  id: row.id,
  subscription_id: row.subscription_id,
  is_personal: user_id !== null,
  trigger: trigger_key,
  severity: severities[trigger_key],
  status: row.status,
  title: row.title,
  shared: describeShared(details.tallies, row.occurrences),
  occurrences: row.occurrences,
  messages: row.messages,
  first_at: row.first_at,
  last_at: row.last_at,
  last_sent_at: row.last_sent_at,
  next_at: row.due_at,
  engine: details.engine,
  task_name: details.task_name,
  task_id: details.task_id,
  queue: details.queue,
  worker: details.worker,
  exception: details.detail,
  fingerprint: details.fingerprint,
  acknowledged_at: row.acknowledged_at,
  acknowledged_by: row.acknowledged_by,
  snoozed_until: row.snoozed_until,
  escalated_at: row.escalated_at,
  ended_at: recovered_at
})

const preview = ({ purpose }: AlertLink, { acknowledged_at, snoozed_until, status, title }: AlertRow) => ({
  purpose,
  title,
  status,
  acknowledged_at,
  snoozed_until
})

const currentUserId = Effect.map(CurrentActor, (actor) => (actor.kind === "person" ? actor.user_id : null))

/** Alerts for people, who see, acknowledge and snooze them, also by the links in messages. */
export class Alerts extends Effect.Service<Alerts>()("svc/Alerts", {
  // Six short methods; those that change an alert are built on `change`.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* AlertsRepo
    const matcher = yield* SubscriptionMatcher
    const messages = yield* AlertMessages
    const links = yield* AlertLinks
    const audit = yield* Audit

    /** The project's alerts and the caller's own, newest first. */
    const listAlerts = Effect.fn("Alerts.list")(function*({ cursor, limit = 50, status }: ListAlerts) {
      const { id } = yield* CurrentProject
      const query = { cursor, limit }
      const start = yield* decodeStart(list, query)
      const rows = yield* repo.list(id, yield* currentUserId, { limit: limit + 1, start, status })
      const page = pageOf(list, query, rows)
      return { ...page, items: page.items.map(toPublic) }
    }, orDieOnSql)

    const findVisible = Effect.fnUntraced(function*(id: AlertId) {
      const project = yield* CurrentProject
      return yield* Effect.flatMap(repo.find(project.id, yield* currentUserId, id), orFail(alertNotFound))
    })

    const get = Effect.fn("Alerts.get")((id: AlertId) => Effect.map(findVisible(id), toPublic), orDieOnSql)

    /** Changes an open alert and decides it again; the audit row is the last statement. */
    const change = Effect.fnUntraced(function*(
      id: AlertId,
      action: string,
      metadata: Readonly<Record<string, unknown>>,
      apply: (row: AlertRow, now: Timestamp.Timestamp) => AlertRow
    ) {
      const now = yield* Timestamp.now
      const before = yield* Effect.flatMap(repo.findForUpdate(id), orFail(alertNotFound))
      if (before.status !== "open") return yield* alertEnded
      const row: AlertRow = { ...apply(before, now), due_at: now, updated_at: now }
      yield* repo.save([row])
      const isNew = before.acknowledged_at === null && row.acknowledged_at !== null
      const subscription = (yield* matcher.find([row.subscription_id], now)).get(row.subscription_id)
      if (isNew && row.messages > 0 && subscription !== undefined) {
        yield* messages.enqueue([{ kind: "acknowledged", alert: row, recipient: subscription }], now)
      }
      yield* audit.record({
        action,
        target_type: "alert",
        target_id: id,
        project_id: row.project_id,
        metadata: { title: row.title, ...metadata }
      })
      return row
    })

    /** Operators act on the project's alerts, owners on their own. */
    const findToChange = Effect.fnUntraced(function*(id: AlertId) {
      const row = yield* findVisible(id)
      if (row.user_id === null) yield* requireRole(row.project_id, "operator")
      return row
    })

    const acknowledge = Effect.fn("Alerts.acknowledge")(function*(id: AlertId, acknowledged: boolean) {
      const { user_id } = yield* findToChange(id)
      const actorId = yield* currentUserId
      const row = yield* change(
        id,
        acknowledged ? "alert.acknowledged" : "alert.unacknowledged",
        {},
        (alert, now) => ({
          ...alert,
          acknowledged_at: acknowledged ? alert.acknowledged_at ?? now : null,
          acknowledged_by: acknowledged ? alert.acknowledged_by ?? actorId : null
        })
      )
      return toPublic({ ...row, user_id })
    }, inTransaction(sql))

    const snooze = Effect.fn("Alerts.snooze")(function*(id: AlertId, until: Timestamp.Timestamp | null) {
      const { user_id } = yield* findToChange(id)
      const now = yield* Timestamp.now
      if (until !== null && (until <= now || until > Timestamp.addSeconds(now, maxSnoozeSeconds))) {
        return yield* ValidationFailed.at("until", "must be in the future, at most 30 days from now")
      }
      const row = yield* change(id, until === null ? "alert.unsnoozed" : "alert.snoozed", { until }, (alert) => ({
        ...alert,
        snoozed_until: until
      }))
      return toPublic({ ...row, user_id })
    }, inTransaction(sql))

    /** A valid link, with its alert. */
    const findLinked = Effect.fnUntraced(function*(token: string) {
      const link = links.verify(token, yield* Timestamp.now)
      if (link === null) return yield* linkInvalid
      const alert = yield* Effect.flatMap(repo.findById(AlertId.make(link.alert_id)), orFail(linkInvalid))
      if (!(yield* repo.isSentThrough(alert.project_id, link.channel_id))) return yield* linkInvalid
      return { link, alert }
    })

    /** What a signed link is about. The holder sees the alert's title and nothing more. */
    const previewLink = Effect.fn("Alerts.previewLink")(function*(token: string) {
      const { alert, link } = yield* findLinked(token)
      return preview(link, alert)
    }, orDieOnSql)

    /** Does what the link is for; the audit row names the channel. */
    const applyLink = Effect.fn("Alerts.applyLink")(function*(token: string, snoozeMinutes: number) {
      const { alert: { id }, link } = yield* findLinked(token)
      const isAcknowledge = link.purpose === "acknowledge"
      const row = yield* change(
        id,
        isAcknowledge ? "alert.acknowledged" : "alert.snoozed",
        { by: "signed link", channel_id: link.channel_id },
        (alert, now) =>
          isAcknowledge
            ? { ...alert, acknowledged_at: alert.acknowledged_at ?? now }
            : { ...alert, snoozed_until: Timestamp.addSeconds(now, snoozeMinutes * 60) }
      ).pipe(
        Effect.provideService(CurrentActor, system(`signed link of channel ${link.channel_id}`)),
        Effect.catchTag("NotFound", () => linkInvalid)
      )
      return preview(link, row)
    }, inTransaction(sql))

    return { list: listAlerts, get, acknowledge, snooze, previewLink, applyLink } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    AlertLinks.layer,
    AlertMessages.layer,
    AlertsRepo.layer,
    SubscriptionMatcher.layer
  ]))
}
