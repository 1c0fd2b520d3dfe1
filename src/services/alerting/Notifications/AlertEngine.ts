import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { AlertId, type ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import * as Ids from "../../kernel/Ids.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { makeFindMuted } from "../../tasks/Failures/MutedGroups.ts"
import { TriggerEvents } from "../../triggers/TriggerEvents.ts"
import type { WaitingEvent } from "../../triggers/TriggerEvents/Repo.ts"
import { type AlertKey, type AlertRow, AlertsRepo } from "../AlertsRepo.ts"
import { MaintenanceWindowsRepo } from "../MaintenanceWindowsRepo.ts"
import { AlertMessages, type Message } from "./AlertMessages.ts"
import { pairEvents, withoutFuture } from "./AlertPairs.ts"
import { applyEvents, decideRow, silentRules } from "./AlertStates.ts"
import { makeRecoveryChecks } from "./Recovery.ts"
import { SubscriptionMatcher } from "./SubscriptionMatcher.ts"

/** Alerts of one transaction. More would hold SQLite's writer for too long. */
const dueLimit = 200

/** Events of one transaction: those of one condition are one write for each subscription, however many they are. */
const eventsAtOnce = 500

/** How often due alerts are read. An alert's next time is at least 1 s away. */
const dueInterval = "1 second"

const groupNameOf = ({ details: { fingerprint }, project_id }: AlertRow) => ({ project_id, fingerprint })

const idOf = ({ condition_key, subscription_id }: AlertKey) => `${subscription_id} ${condition_key}`

/** From events to messages: alerts with grouping, recovery and escalation (docs/notifications.md). */
export class AlertEngine extends Effect.Service<AlertEngine>()("svc/AlertEngine", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* AlertsRepo
    const matcher = yield* SubscriptionMatcher
    const messages = yield* AlertMessages
    const windows = yield* MaintenanceWindowsRepo
    const triggers = yield* TriggerEvents
    const checkRecovery = yield* makeRecoveryChecks
    const findMuted = yield* makeFindMuted

    /** The ends of the windows in which projects are, by the project. */
    const listMaintenance = (projectIds: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) =>
      Effect.map(
        windows.listCurrentEnds(projectIds, now),
        (rows) => new Map(rows.map(({ ends_at, project_id }) => [project_id, ends_at]))
      )

    /** Writes what events become, in the transaction that takes them out of the outbox; returns the number of alerts. */
    const write = Effect.fnUntraced(function*(waiting: ReadonlyArray<WaitingEvent>) {
      const now = yield* Timestamp.now
      const isMuted = yield* findMuted(waiting.map(({ event }) => event))
      const events = waiting.map(({ event }) => withoutFuture(event, now))
        .filter((event) => event.recovered === true || !isMuted(event))
      const projectIds = [...new Set(events.map(({ project_id }) => project_id))].sort()
      yield* Effect.forEach(projectIds, repo.lockProject, { discard: true })
      const subscriptions = yield* matcher.list(projectIds, new Set(events.map(({ trigger }) => trigger)), now)
      const { pairs, rest } = pairEvents(events, (event) => matcher.match(subscriptions, event))
      if (rest.length > 0) yield* triggers.requeue("notifications", rest)
      if (pairs.length === 0) return 0
      const maintenance = yield* listMaintenance(projectIds, now)
      const openAlerts = new Map(
        (yield* repo.listOpenForUpdate(pairs.map(({ key }) => key))).map((row) => [idOf(row), row])
      )
      const cooling = pairs.filter(({ key, subscription }) =>
        subscription.rules.cooldown_seconds > 0 && !openAlerts.has(idOf(key))
      )
      const lastSent = new Map(
        (yield* repo.listLastSent(cooling.map(({ key }) => key))).map((row) => [idOf(row), row.at])
      )
      const saved: Array<AlertRow> = []
      const out: Array<Message> = []
      for (const { events, is_single, key, subscription } of pairs) {
        const last_sent_at = lastSent.get(idOf(key))
        const decided = applyEvents(openAlerts.get(idOf(key)) ?? null, {
          events,
          rules: subscription.rules,
          maintenance_until: maintenance.get(subscription.project_id) ?? null,
          created: {
            id: AlertId.make(Ids.uuidv7(Timestamp.toEpochMillis(now))),
            key,
            now,
            is_single,
            not_before: last_sent_at === undefined
              ? null
              : Timestamp.addSeconds(last_sent_at, subscription.rules.cooldown_seconds)
          }
        })
        if (decided === null) continue
        saved.push(decided.row)
        for (const message of decided.messages) out.push({ ...message, recipient: subscription })
      }
      yield* repo.save(saved)
      yield* messages.enqueue(out, now)
      return saved.length
    })

    const decideDue = Effect.gen(function*() {
      const now = yield* Timestamp.now
      const rows = yield* repo.takeDue(now, dueLimit)
      const subscriptions = yield* matcher.find([...new Set(rows.map(({ subscription_id }) => subscription_id))], now)
      const maintenance = yield* listMaintenance([...new Set(rows.map(({ project_id }) => project_id))], now)
      const isMuted = yield* findMuted(rows.map(groupNameOf))
      const conditions = yield* checkRecovery(
        rows.map((alert) => ({
          alert,
          recovery_seconds: subscriptions.get(alert.subscription_id)?.rules.grouping?.interval_seconds ?? 300
        })),
        now
      )
      const saved: Array<AlertRow> = []
      const out: Array<Message> = []
      for (const row of rows) {
        const subscription = subscriptions.get(row.subscription_id)
        const decided = decideRow(row, subscription?.rules ?? silentRules, {
          now,
          // an owner who may not be notified, or who wants nothing, gets nothing; of a muted failure group nobody does
          is_muted: subscription === undefined || subscription.trigger !== row.trigger_key || isMuted(groupNameOf(row)),
          maintenance_until: maintenance.get(row.project_id) ?? null,
          condition: conditions.get(row.id) ?? "unknown"
        })
        saved.push(decided.row)
        if (subscription === undefined) continue
        for (const message of decided.messages) out.push({ ...message, recipient: subscription })
      }
      yield* repo.save(saved)
      yield* messages.enqueue(out, now)
      return rows.length
    })

    /** Decides the alerts that are due; returns their number. */
    const runDue = Effect.fn("AlertEngine.runDue")(function*() {
      if (!(yield* repo.hasDue(yield* Timestamp.now))) return 0
      return yield* sql.withTransaction(decideDue)
    }, orDieOnSql)

    return { write, runDue } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    AlertMessages.layer,
    AlertsRepo.layer,
    MaintenanceWindowsRepo.layer,
    SubscriptionMatcher.layer,
    TriggerEvents.layer
  ]))

  /** Events become alerts as soon as they are committed; due alerts are decided each second. */
  static readonly layerLoops = Layer.scopedDiscard(Effect.gen(function*() {
    const alerts = yield* AlertEngine
    const loops = yield* Loops
    const triggers = yield* TriggerEvents
    yield* triggers.consumeForever("alerts", "notifications", alerts.write, { limit: eventsAtOnce })
    yield* loops.every(
      "due alerts",
      dueInterval,
      Effect.repeat(alerts.runDue(), { while: (count) => count === dueLimit })
    )
  })).pipe(Layer.provide([this.layer, TriggerEvents.layer]))
}
