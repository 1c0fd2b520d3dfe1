import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { Alert, ListAlerts } from "../../../domain/alerting/Notification/Alert.ts"
import { addOccurrences, type Circumstances, decide } from "../../../domain/alerting/Notification/AlertDecision.ts"
import { describeShared, signatureOf } from "../../../domain/alerting/Notification/Shared.ts"
import { system } from "../../../domain/kernel/Actor.ts"
import { Conflict, Forbidden, NotFound, ValidationFailed } from "../../../domain/kernel/Errors.ts"
import { AlertId, type ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { severities } from "../../../domain/triggers/Trigger.ts"
import { Audit } from "../../audit/Audit.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { CurrentActor, CurrentProject, requireRole } from "../../kernel/CurrentActor.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { decodeStart, pageOf } from "../../kernel/sql/RowPage.ts"
import { TriggerEvents } from "../../triggers/TriggerEvents.ts"
import type { WaitingEvent } from "../../triggers/TriggerEvents/Repo.ts"
import { type AlertKey, type AlertRow, AlertsRepo, type VisibleRow } from "../AlertsRepo.ts"
import { MaintenanceWindowsRepo } from "../MaintenanceWindowsRepo.ts"
import { AlertLinks } from "./AlertLinks.ts"
import { AlertMessages, type Message } from "./AlertMessages.ts"
import { pairEvents, withoutFuture } from "./AlertPairs.ts"
import { AlertStates } from "./AlertStates.ts"
import { makeRecoveryChecks } from "./Recovery.ts"
import { SubscriptionMatcher } from "./SubscriptionMatcher.ts"

/** Alerts of one transaction. More would hold SQLite's writer for too long. */
const dueLimit = 200

/** Events of one transaction: those of one condition are one write for each subscription, however many they are. */
const eventsAtOnce = 500

/** How often due alerts are looked for. An alert's next time is at least 1 s away. */
const dueInterval = "1 second"

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

/** From events to messages: alerts with grouping, recovery, acknowledgement and escalation (docs/notifications.md). */
export class Alerts extends Effect.Service<Alerts>()("svc/Alerts", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* AlertsRepo
    const matcher = yield* SubscriptionMatcher
    const states = yield* AlertStates
    const messages = yield* AlertMessages
    const windows = yield* MaintenanceWindowsRepo
    const links = yield* AlertLinks
    const triggers = yield* TriggerEvents
    const audit = yield* Audit
    const settings = yield* Settings
    const checkRecovery = yield* makeRecoveryChecks

    const listMaintenance = Effect.fnUntraced(
      function*(projectIds: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) {
        return new Map(
          (yield* windows.listCurrentEnds(projectIds, now)).map(({ ends_at, project_id }) => [project_id, ends_at])
        )
      }
    )

    /** Writes what events become, in the transaction that takes them out of the outbox; returns the number of alerts. */
    const write = Effect.fnUntraced(function*(waiting: ReadonlyArray<WaitingEvent>) {
      const now = yield* Timestamp.now
      const events = waiting.map(({ event }) => withoutFuture(event, now))
      const projectIds = [...new Set(events.map(({ project_id }) => project_id))].sort()
      yield* Effect.forEach(projectIds, repo.lockProject, { discard: true })
      const subscriptions = yield* matcher.list(projectIds, new Set(events.map(({ trigger }) => trigger)), now)
      const { pairs, rest } = pairEvents(events, (event) => matcher.match(subscriptions, event))
      if (rest.length > 0) yield* triggers.requeue("notifications", rest)
      if (pairs.length === 0) return 0
      const maintenance = yield* listMaintenance(projectIds, now)
      const keys = pairs.map(({ key }) => key)
      const idOf = ({ condition_key, subscription_id }: AlertKey) => `${subscription_id} ${condition_key}`
      const open = new Map((yield* repo.listOpenForUpdate(keys)).map((row) => [idOf(row), row]))
      const cooling = pairs.filter(({ key, subscription }) =>
        subscription.rules.cooldown_seconds > 0 && !open.has(idOf(key))
      )
      const lastSent = new Map(
        (yield* repo.listLastSent(cooling.map(({ key }) => key))).map((row) => [idOf(row), row.at])
      )
      const saved: Array<AlertRow> = []
      const out: Array<Message> = []
      for (const { events: those, is_single, key, subscription } of pairs) {
        const last = lastSent.get(idOf(key))
        let row = open.get(idOf(key)) ?? null
        const at = { now, is_muted: false, maintenance_until: maintenance.get(subscription.project_id) ?? null }
        const wrong = those.filter(({ recovered }) => recovered !== true)
        if (wrong.length > 0) {
          const counted = states.countEvents(row, wrong, {
            id: AlertId.make(Ids.uuidv7(Timestamp.toEpochMillis(now))),
            key,
            now,
            is_single
          })
          const { messages: kinds, state } = addOccurrences(
            row === null ? null : states.stateOf(row),
            subscription.rules,
            { ...at, condition: "ongoing", shared: signatureOf(counted.details.tallies, counted.occurrences) },
            { count: counted.added, last_at: counted.last_at },
            last === undefined ? null : Timestamp.addSeconds(last, subscription.rules.cooldown_seconds)
          )
          row = states.withState(counted.row, state, now)
          for (const kind of kinds) out.push({ kind, alert: row, recipient: subscription })
        }
        const ended = those.findLast(({ recovered }) => recovered === true)
        if (ended !== undefined && row !== null && ended.occurrences[0].occurred_at >= row.last_at) {
          const known: AlertRow = { ...row, details: { ...row.details, ended_at: ended.occurrences[0].occurred_at } }
          const { messages: kinds, state } = decide(states.stateOf(known), subscription.rules, {
            ...at,
            condition: "recovered",
            shared: signatureOf(known.details.tallies, known.occurrences)
          })
          row = states.withState(known, state, now)
          for (const kind of kinds) out.push({ kind, alert: row, recipient: subscription })
        }
        if (row !== null) saved.push(row)
      }
      yield* repo.save(saved)
      yield* messages.enqueue(out, now)
      return saved.length
    })

    /** Decides the alerts that are due; returns their number. */
    const runDue = Effect.fn("Alerts.runDue")(
      function*() {
        if (!(yield* repo.hasDue(yield* Timestamp.now))) return 0
        return yield* sql.withTransaction(Effect.gen(function*() {
          const now = yield* Timestamp.now
          const rows = yield* repo.takeDue(now, dueLimit)
          const subscriptions = yield* matcher.find(
            [...new Set(rows.map(({ subscription_id }) => subscription_id))],
            now
          )
          const maintenance = yield* listMaintenance([...new Set(rows.map(({ project_id }) => project_id))], now)
          const conditions = yield* checkRecovery(
            rows.map((alert) => ({
              alert,
              settle_seconds: subscriptions.get(alert.subscription_id)?.rules.grouping?.interval_seconds ?? 300
            })),
            now
          )
          const saved: Array<AlertRow> = []
          const out: Array<Message> = []
          for (const row of rows) {
            const subscription = subscriptions.get(row.subscription_id)
            const at: Circumstances = {
              now,
              // an owner who may not be notified, or who wants nothing, gets nothing
              is_muted: subscription === undefined || subscription.trigger !== row.trigger_key,
              maintenance_until: maintenance.get(row.project_id) ?? null,
              condition: conditions.get(row.id) ?? "unknown",
              shared: signatureOf(row.details.tallies, row.occurrences)
            }
            const { messages: kinds, state } = decide(
              states.stateOf(row),
              subscription?.rules ?? states.silentRules,
              at
            )
            const alert = states.withState(row, state, now)
            saved.push(alert)
            if (subscription === undefined) continue
            for (const kind of kinds) out.push({ kind, alert, recipient: subscription })
          }
          yield* repo.save(saved)
          yield* messages.enqueue(out, now)
          return rows.length
        }))
      },
      orDieOnSql
    )

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

    const currentUserId = Effect.map(CurrentActor, (actor) => (actor.kind === "person" ? actor.user_id : null))

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
      return yield* Effect.flatMap(
        repo.find(project.id, yield* currentUserId, id),
        Option.match({
          onNone: () => Effect.fail(alertNotFound),
          onSome: (row: VisibleRow) => Effect.succeed(row)
        })
      )
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
      const found = yield* repo.findForUpdate(id)
      if (Option.isNone(found)) return yield* alertNotFound
      if (found.value.status !== "open") return yield* alertEnded
      const row: AlertRow = { ...apply(found.value, now), due_at: now, updated_at: now }
      yield* repo.save([row])
      const isNew = found.value.acknowledged_at === null && row.acknowledged_at !== null
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

    const acknowledge = Effect.fn("Alerts.acknowledge")(
      function*(id: AlertId, acknowledged: boolean) {
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
      },
      sql.withTransaction,
      orDieOnSql
    )

    const snooze = Effect.fn("Alerts.snooze")(
      function*(id: AlertId, until: Timestamp.Timestamp | null) {
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
      },
      sql.withTransaction,
      orDieOnSql
    )

    /** What a signed link is about. The holder sees the alert's title and nothing more. */
    const previewLink = Effect.fn("Alerts.previewLink")(function*(token: string) {
      const link = links.verify(token, yield* Timestamp.now)
      if (link === null) return yield* linkInvalid
      const found = yield* repo.findById(AlertId.make(link.alert_id))
      if (Option.isNone(found) || !(yield* repo.isSentThrough(found.value.project_id, link.channel_id))) {
        return yield* linkInvalid
      }
      const { acknowledged_at, snoozed_until, status, title } = found.value
      return { purpose: link.purpose, title, status, acknowledged_at, snoozed_until }
    }, orDieOnSql)

    /** Does what the link is for; the audit row names the channel. */
    const actByLink = Effect.fn("Alerts.actByLink")(
      function*(token: string, snoozeMinutes: number) {
        const link = links.verify(token, yield* Timestamp.now)
        if (link === null) return yield* linkInvalid
        const id = AlertId.make(link.alert_id)
        const found = yield* repo.findById(id)
        if (Option.isNone(found) || !(yield* repo.isSentThrough(found.value.project_id, link.channel_id))) {
          return yield* linkInvalid
        }
        const metadata = { by: "signed link", channel_id: link.channel_id }
        const row = yield* change(
          id,
          link.purpose === "acknowledge" ? "alert.acknowledged" : "alert.snoozed",
          metadata,
          (alert, now) =>
            link.purpose === "acknowledge"
              ? { ...alert, acknowledged_at: alert.acknowledged_at ?? now }
              : { ...alert, snoozed_until: Timestamp.addSeconds(now, snoozeMinutes * 60) }
        ).pipe(
          Effect.provideService(CurrentActor, system(`signed link of channel ${link.channel_id}`)),
          Effect.catchTag("NotFound", () => linkInvalid)
        )
        const { acknowledged_at, snoozed_until, status, title } = row
        return { purpose: link.purpose, title, status, acknowledged_at, snoozed_until }
      },
      sql.withTransaction,
      orDieOnSql
    )

    /** Deletes alerts and maintenance windows that ended before the retention. */
    const sweep = Effect.fn("Alerts.sweep")(function*() {
      const now = yield* Timestamp.now
      const before = Timestamp.addSeconds(now, -settings.alertsRetentionDays * Timestamp.secondsPerDay)
      yield* repo.deleteEnded(before)
      yield* windows.deleteEnded(before)
    }, orDieOnSql)

    return { write, runDue, list: listAlerts, get, acknowledge, snooze, previewLink, actByLink, sweep } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    AlertLinks.layer,
    AlertMessages.layer,
    AlertsRepo.layer,
    AlertStates.layer,
    MaintenanceWindowsRepo.layer,
    SubscriptionMatcher.layer,
    TriggerEvents.layer
  ]))

  /** Events become alerts as soon as they are committed; due alerts are decided each second. */
  static readonly layerLoops = Layer.scopedDiscard(Effect.gen(function*() {
    const alerts = yield* Alerts
    const loops = yield* Loops
    const triggers = yield* TriggerEvents
    yield* triggers.consumeForever("alerts", "notifications", alerts.write, { limit: eventsAtOnce })
    yield* loops.every(
      "due alerts",
      dueInterval,
      Effect.repeat(alerts.runDue(), { while: (count) => count === dueLimit })
    )
    yield* loops.upkeep("alert retention", "1 hour", alerts.sweep())
  })).pipe(Layer.provide([this.layer, TriggerEvents.layer]))
}
