import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Notification } from "../../../../src/domain/alerting/Notification.ts"
import { AgentId, type ProjectId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import type { TriggerEvent } from "../../../../src/domain/triggers/Trigger.ts"
import { headlineOf } from "../../../../src/services/alerting/Channels/Types/Wording.ts"
import { AlertEngine } from "../../../../src/services/alerting/Notifications/AlertEngine.ts"
import * as Ids from "../../../../src/services/kernel/Ids.ts"
import { TriggerEvents } from "../../../../src/services/triggers/TriggerEvents.ts"
import { freshKey, freshProject, request, serverOn } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { insertTask } from "../../../tasks.ts"
import { until } from "../../../until.ts"
import { eventOf, offerEvents } from "../../tasks/Ingest/world.ts"
import { failureOf } from "../../triggers/TriggerEvents/world.ts"
import { insertChannel } from "./notifications.ts"

interface Delivered {
  readonly channel_id: string
  readonly notification: string
}

describe.each(engines)("alerts on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    const site = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const project = yield* freshProject()
      const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
      const channel = yield* insertChannel({ projectId: project.id })
      const base = `/projects/${project.slug}/notifications`
      const subscribe = (body: object) =>
        Effect.map(
          request("POST", `${base}/defaults`, {
            token: admin.token,
            body: { trigger: "task.failed", project_channel_ids: [channel.id], ...body }
          }),
          ({ json, status, text }) => {
            assert.strictEqual(status, 201, text)
            return String(json.id)
          }
        )
      const messages = Effect.map(
        sql<
          Delivered
        >`SELECT channel_id, notification FROM deliveries WHERE project_id = ${project.id} ORDER BY created_at, id`,
        (rows) =>
          rows.map((row): Notification & { readonly channel_id: string } => ({
            ...JSON.parse(row.notification),
            channel_id: row.channel_id
          }))
      )
      const record = (events: ReadonlyArray<TriggerEvent>) =>
        Effect.flatMap(TriggerEvents, (triggers) => sql.withTransaction(triggers.record(events)))
      const alerts = Effect.map(request("GET", `${base}/alerts`, { token: admin.token }), ({ json }) => json.items)
      /** All alerts are due at once. */
      const skipWait = (seconds: number) =>
        Effect.gen(function*() {
          const now = yield* Timestamp.now
          const rows = yield* sql<
            { id: string; details: string }
          >`SELECT id, details FROM alerts WHERE project_id = ${project.id}`
          for (const { details, id } of rows) {
            const opened_at = Timestamp.addSeconds(now, -seconds)
            const older = JSON.stringify({ ...JSON.parse(details), opened_at, counted_at: opened_at })
            yield* sql`UPDATE alerts SET due_at = ${now}, last_at = ${opened_at}, details = ${older} WHERE id = ${id}`
          }
        })
      return { sql, project, admin, channel, base, subscribe, messages, record, alerts, skipWait }
    })

    const failures = (projectId: ProjectId, condition: string, count: number) =>
      Effect.map(Timestamp.now, (now): TriggerEvent => {
        const event = failureOf(projectId, { condition, fingerprint: condition })
        const [first] = event.occurrences
        const occurrence = (at: number) => ({
          ...first,
          occurred_at: now,
          task_id: `${condition}-${at}`,
          worker: "w1",
          detail: "CardDeclined: do not honour"
        })
        return {
          ...event,
          occurrences: [occurrence(0), ...Array.from({ length: count - 1 }, (_, at) => occurrence(at + 1))]
        }
      })

    it.effect("a muted failure group raises no alert, and its open alert ends without a message", () =>
      Effect.gen(function*() {
        const { alerts, messages, project, record, skipWait, sql, subscribe } = yield* site
        yield* subscribe({})
        const now = yield* Timestamp.now
        const mute = (fingerprint: string) =>
          sql`INSERT INTO failure_groups ${
            sql.insert({
              project_id: project.id,
              fingerprint,
              engine: "celery",
              task_name: "shop.charge",
              sample_task_id: "1",
              first_seen_at: now,
              last_seen_at: now,
              occurrences: 1,
              open_count: 1,
              recovered_count: 0,
              triage: "muted",
              triaged_at: now,
              muted_until: "escalates"
            })
          }`
        yield* mute("f1")
        yield* record([yield* failures(project.id, "f1", 5), yield* failures(project.id, "f2", 1)])
        const [alert, ...others] = yield* until(alerts, (found) => found.length > 0)
        assert.deepStrictEqual([alert.fingerprint, alert.status, others], ["f2", "open", []])
        yield* mute("f2")
        yield* skipWait(400)
        yield* until(alerts, ([{ status }]) => status === "stale")
        assert.deepStrictEqual(yield* messages, [])
      }))

    it.effect("many failures of a condition are one message, which says what they share; a success closes it", () =>
      Effect.gen(function*() {
        const { admin, alerts, base, channel, messages, project, record, skipWait, sql, subscribe } = yield* site
        yield* subscribe({ filters: { task_name: "shop.*" } })
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        yield* record([yield* failures(project.id, "f1", 60), yield* failures(project.id, "f2", 1)])
        yield* record([yield* failures(project.id, "f1", 40)])
        yield* until(
          alerts,
          (found) => found.length === 2 && found.some(({ occurrences }: { occurrences: number }) => occurrences === 100)
        )
        assert.deepStrictEqual(yield* messages, [])
        yield* skipWait(400)
        const [first, second, ...others] = yield* until(messages, (sent) => sent.length >= 2)
        assert.deepStrictEqual(others, [])
        const sent = [first, second].find((one) => one?.occurrences === 100)
        assert.deepInclude(sent, {
          kind: "alert",
          channel_id: channel.id,
          title: "shop.charge fails: CardDeclined",
          severity: "error",
          task_name: "shop.charge",
          worker: "w1"
        })
        assert.include(sent?.text, "100 times since")
        assert.include(sent?.text, "all on worker w1")
        assert.notStrictEqual(first?.dedup_key, second?.dedup_key)
        const inbox = yield* sql<
          { user_id: string }
        >`SELECT user_id FROM user_notifications WHERE project_id = ${project.id}`
        assert.sameMembers(
          inbox.map(({ user_id }) => user_id),
          [admin.user_id, viewer.user_id].flatMap((id) => [id, id])
        )

        const path = `${base}/alerts/${sent?.alert_id}`
        const acknowledge = (token: string, body = {}) => request("POST", `${path}/acknowledge`, { token, body })
        assert.strictEqual((yield* acknowledge(viewer.token)).status, 403)
        const { json: acknowledged } = yield* acknowledge(admin.token)
        assert.strictEqual(acknowledged.acknowledged_by, admin.user_id)
        assert.strictEqual((yield* messages).at(-1)?.kind, "acknowledged")
        assert.isNull((yield* acknowledge(admin.token, { acknowledged: false })).json.acknowledged_at)

        yield* skipWait(400)
        yield* insertTask(project.id, { name: "shop.charge" })
        const all = yield* until(messages, (sent) => sent.filter(({ kind }) => kind === "recovered").length === 2)
        assert.deepStrictEqual([...new Set(all.map(({ title }) => title))], ["shop.charge fails: CardDeclined"])
        assert.sameMembers([...new Set(all.map(headlineOf))], [
          "shop.charge fails: CardDeclined",
          "Acknowledged: shop.charge fails: CardDeclined",
          "Recovered: shop.charge fails: CardDeclined"
        ])
        const titles = yield* sql`SELECT DISTINCT title FROM user_notifications WHERE project_id = ${project.id}
          ORDER BY title`
        assert.deepStrictEqual(titles.map(({ title }) => title), [
          "Recovered: shop.charge fails: CardDeclined",
          "shop.charge fails: CardDeclined"
        ])
        assert.strictEqual((yield* request("GET", path, { token: viewer.token })).json.status, "recovered")
        assert.strictEqual((yield* acknowledge(admin.token)).json.code, "alert_ended")
      }))

    it.effect("recover by the brain's clock, whatever time a worker reports and whatever else waits to be read", () =>
      Effect.gen(function*() {
        const { alerts, project, record, skipWait, sql, subscribe } = yield* site
        const { runDue } = yield* AlertEngine
        yield* subscribe({ project_channel_ids: [] })
        const now = yield* Timestamp.now
        const [occurrence] = (yield* failures(project.id, "slow", 1)).occurrences
        const failedAt = (condition: string, occurred_at: Timestamp.Timestamp) =>
          failureOf(project.id, { condition, occurrences: [{ ...occurrence, occurred_at }] })
        yield* insertTask(project.id, { name: "shop.charge" })
        yield* record([
          failedAt("slow", Timestamp.addSeconds(now, -86_400)),
          failedAt("fast", Timestamp.addSeconds(now, 86_400)),
          failedAt("last", Timestamp.fromEpochMicros(Date.UTC(9999, 11, 31) * 1000))
        ])
        const found = yield* until(alerts, ({ length }) => length === 3)
        assert.isTrue(
          found.every(({ last_at }: { readonly last_at: string }) => last_at < Timestamp.addSeconds(now, 60))
        )
        const statuses = Effect.map(
          sql<{ status: string }>`SELECT status FROM alerts WHERE project_id = ${project.id}`,
          (rows) => rows.map(({ status }) => status)
        )
        yield* sql`UPDATE alerts SET due_at = ${now} WHERE project_id = ${project.id}`
        yield* runDue()
        assert.deepStrictEqual(yield* statuses, ["open", "open", "open"], "the task was there before the failure")

        const waiting = {
          id: randomUUID(),
          consumer: "notifications",
          project_id: project.id,
          payload: "{}",
          attempts: 1,
          due_at: Timestamp.addSeconds(now, 3600), // is retried in an hour
          created_at: now
        }
        yield* sql`INSERT INTO trigger_events ${sql.insert(waiting)}`
        yield* skipWait(400)
        yield* insertTask(project.id, { name: "shop.charge" })
        yield* until(Effect.zipRight(runDue(), statuses), (all) => all.every((status) => status === "recovered"))
      }))

    it.effect("an alert about a rate of failures stays open while its episode lasts", () =>
      Effect.gen(function*() {
        const { alerts, project, record, sql, subscribe } = yield* site
        const id = yield* subscribe({ trigger: "task.failure_rate", project_channel_ids: [] })
        const now = yield* Timestamp.now
        const row = { subscription_id: id, began_at: now }
        yield* sql`INSERT INTO failure_rate_episodes ${sql.insert(row)}`
        yield* record([failureOf(project.id, { trigger: "task.failure_rate", condition: id })])
        yield* until(alerts, ({ length }) => length === 1)
        const decideNow = Effect.gen(function*() {
          const [alert] = yield* sql<{ details: string }>`SELECT details FROM alerts WHERE subscription_id = ${id}`
          const old = Timestamp.addSeconds(now, -100 * 3600)
          const details = JSON.stringify({ ...JSON.parse(alert?.details ?? ""), opened_at: old, counted_at: old })
          yield* sql`UPDATE alerts SET due_at = ${now}, last_at = ${old}, details = ${details}
            WHERE subscription_id = ${id}`
          yield* Effect.flatMap(AlertEngine, (service) => service.runDue())
          return (yield* alerts)[0].status
        })
        assert.strictEqual(yield* decideNow, "open")
        yield* sql`DELETE FROM failure_rate_episodes WHERE subscription_id = ${id}`
        assert.strictEqual(yield* decideNow, "stale")
      }))

    it.effect("events that one transaction has no room for reach a rule once", () =>
      Effect.gen(function*() {
        const { admin, project, record, sql, subscribe } = yield* site
        const id = yield* subscribe({ project_channel_ids: [], in_app: false, grouping: null })
        const rows = yield* Effect.forEach(Array.from({ length: 39 }), () => Ids.next)
        const [subscription] = yield* sql<object>`SELECT * FROM subscriptions WHERE id = ${id}`
        yield* sql`INSERT INTO subscriptions ${sql.insert(rows.map((id) => ({ ...subscription, id })))}`
        const rule = yield* request("POST", `/projects/${project.slug}/automation/rules`, {
          token: admin.token,
          body: {
            name: "counts",
            trigger: "task.failed",
            actions: [{ type: "cancel" }],
            max_executions_per_window: 100_000
          }
        })
        assert.strictEqual(rule.status, 201, rule.text)
        yield* record([yield* failures(project.id, "f1", 100)])
        const alertsOf = sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM alerts
          WHERE project_id = ${project.id}`
        yield* until(alertsOf, ([row]) => row?.n === 4000)
        const waiting = sql`SELECT id FROM trigger_events WHERE project_id = ${project.id}`
        yield* until(waiting, ({ length }) => length === 0)
        const [counted] = yield* sql`SELECT CAST(sum(occurrences) AS INTEGER) AS n FROM automation_executions
          WHERE rule_id = ${rule.json.id}`
        assert.deepStrictEqual(counted, { n: 100 })
      }))

    it.effect("without grouping each task is a message at once, whose links act without a login", () =>
      Effect.gen(function*() {
        const { messages, project, record, sql, subscribe } = yield* site
        yield* subscribe({ grouping: null })
        yield* record([yield* failures(project.id, "f1", 3)])
        const sent = yield* until(messages, ({ length }) => length === 3)
        assert.strictEqual(new Set(sent.map(({ dedup_key }) => dedup_key)).size, 3)
        const [{ alert_id, links } = assert.fail()] = sent
        const tokenOf = (link: string | null | undefined) => new URL(link ?? assert.fail()).searchParams.get("token")
        assert.strictEqual((yield* request("GET", `//alert?token=${tokenOf(links.acknowledge)}`)).status, 200)
        const useLink = (token: string | null) => request("POST", "/alert-links/act", { body: { token } })
        const { json: preview } = yield* request("POST", "/alert-links/preview", {
          body: { token: tokenOf(links.snooze) }
        })
        assert.deepInclude(preview, { purpose: "snooze", status: "open", snoozed_until: null })
        assert.isNotNull((yield* useLink(tokenOf(links.snooze))).json.snoozed_until)
        assert.isNotNull((yield* useLink(tokenOf(links.acknowledge))).json.acknowledged_at)
        const token = tokenOf(links.acknowledge) ?? ""
        const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        const withLast = (shift: number) =>
          token.replace(/.$/, (last) => alphabet[(alphabet.indexOf(last) + shift) % 64] ?? "")
        // the first of these has the same bytes
        for (const forged of [withLast(1), withLast(4), "x"]) {
          assert.strictEqual((yield* useLink(forged)).json.code, "alert_link_invalid")
        }
        // a link ends with the channel that it was sent through
        yield* sql`UPDATE channels SET is_active = 0 WHERE project_id = ${project.id}`
        assert.strictEqual((yield* useLink(token)).json.code, "alert_link_invalid")
        const read = yield* request("POST", "/alert-links/preview", { body: { token } })
        assert.strictEqual(read.json.code, "alert_link_invalid")
        yield* sql`UPDATE channels SET is_active = 1 WHERE project_id = ${project.id}`
        assert.strictEqual((yield* useLink(token)).status, 200)
        yield* sql`DELETE FROM channels WHERE project_id = ${project.id}`
        assert.strictEqual((yield* useLink(token)).json.code, "alert_link_invalid")
        const rows = yield* sql<{ action: string; metadata: string }>`
          SELECT action, metadata FROM audit_log WHERE target_id = ${alert_id} ORDER BY seq`
        assert.deepStrictEqual(rows.map(({ action }) => action), [
          "alert.snoozed",
          "alert.acknowledged",
          "alert.acknowledged"
        ])
        assert.include(rows[0]?.metadata, "signed link")
      }))

    it.effect("a snoozed alert is silent until its end or until a person wakes it; for 30 days at most", () =>
      Effect.gen(function*() {
        const { admin, alerts, base, messages, project, record, skipWait, sql, subscribe } = yield* site
        yield* subscribe({})
        yield* record([yield* failures(project.id, "f1", 1)])
        const [{ id }] = yield* until(alerts, ({ length }) => length === 1)
        const snooze = (until: Timestamp.Timestamp | null, token = admin.token) =>
          request("POST", `${base}/alerts/${id}/snooze`, { token, body: { until } })
        const runDue = Effect.zipRight(skipWait(60), Effect.flatMap(AlertEngine, (service) => service.runDue()))
        const now = yield* Timestamp.now
        const inDays = (days: number) => Timestamp.addSeconds(now, days * 86_400)

        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        assert.strictEqual((yield* snooze(inDays(1), viewer.token)).json.code, "forbidden")
        for (const days of [-1, 30.01]) {
          const { json, status } = yield* snooze(inDays(days))
          assert.deepStrictEqual([status, json.details?.issues[0].path], [422, "until"], `${days} days`)
        }
        assert.strictEqual((yield* snooze(inDays(30))).json.snoozed_until, inDays(30))
        yield* runDue
        assert.deepStrictEqual(yield* messages, [])
        assert.deepInclude((yield* alerts)[0], { status: "open", snoozed_until: inDays(30) })

        assert.isNull((yield* snooze(null)).json.snoozed_until)
        yield* runDue
        assert.lengthOf(yield* until(messages, ({ length }) => length > 0), 1)
        const log = yield* sql<{ action: string }>`
          SELECT action FROM audit_log WHERE target_id = ${id} AND action LIKE 'alert.%snoozed' ORDER BY seq`
        assert.deepStrictEqual(log.map(({ action }) => action), ["alert.snoozed", "alert.unsnoozed"])

        yield* sql`UPDATE alerts SET status = 'recovered', recovered_at = ${now} WHERE id = ${id}`
        assert.strictEqual((yield* snooze(inDays(1))).json.code, "alert_ended")
      }))

    it.effect("maintenance defers messages; a personal alert is its owner's; who left gets nothing", () =>
      Effect.gen(function*() {
        const { alerts, base, admin, messages, project, record, skipWait, sql, subscribe } = yield* site
        yield* subscribe({})
        const now = yield* Timestamp.now
        const body = { name: "Upgrade", starts_at: now, ends_at: Timestamp.addSeconds(now, 3600) }
        const { json: window } = yield* request("POST", `${base}/maintenance-windows`, { token: admin.token, body })
        const member = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const personal = { project_id: project.id, trigger: "task.failed", grouping: { wait_seconds: 0 } }
        yield* request("POST", "/user/subscriptions", { token: member.token, body: personal })
        yield* record([yield* failures(project.id, "f1", 1)])
        yield* until(alerts, ({ length }) => length === 1)
        const own = yield* request("GET", `${base}/alerts`, { token: member.token })
        assert.deepStrictEqual(own.json.items.map(({ is_personal }: { is_personal: boolean }) => is_personal).sort(), [
          false,
          true
        ])
        yield* skipWait(60)
        yield* Effect.flatMap(AlertEngine, (service) => service.runDue())
        assert.deepStrictEqual(yield* messages, [])
        yield* sql`DELETE FROM memberships WHERE user_id = ${member.user_id}`
        yield* request("DELETE", `${base}/maintenance-windows/${window.id}`, { token: admin.token })
        yield* until(messages, ({ length }) => length === 1)
        const inbox = yield* sql`SELECT id FROM user_notifications WHERE user_id = ${member.user_id}`
        assert.deepStrictEqual(inbox, [])
      }))

    it.effect("tasks of an agent that fail become a delivery, which says what share of their name failed", () =>
      Effect.gen(function*() {
        const { alerts, channel, messages, project, skipWait, subscribe } = yield* site
        yield* subscribe({ filters: { task_name: "mail.*" } })
        const occurred_at = yield* Timestamp.now
        const ended = (task_id: string, kind: string) =>
          eventOf({
            id: randomUUID(),
            kind,
            engine: "celery",
            task_id,
            occurred_at,
            data: {
              task_name: "mail.send",
              queue: "mail",
              worker: "w1",
              exception: "ValueError",
              exception_message: "x"
            }
          })
        yield* offerEvents({ projectId: project.id, agentId: AgentId.make(randomUUID()) }, [
          ended("t1", "task.failed"),
          ended("t2", "task.failed"),
          ended("t3", "task.succeeded")
        ])
        const isCounted = ([one]: ReadonlyArray<{ readonly occurrences: number }>) => one?.occurrences === 2
        yield* until(alerts, isCounted)
        yield* skipWait(60)
        const [sent] = yield* until(messages, ({ length }) => length === 1)
        assert.deepInclude(sent, { channel_id: channel.id, occurrences: 2, title: "mail.send fails: ValueError" })
        assert.include(sent?.text, "2 of the 3 newest tasks of this name failed (67 %).")
      }))

    it.effect("5 000 failures of two conditions against 100 subscriptions are 200 alerts", () =>
      Effect.gen(function*() {
        const { project, record, sql, subscribe } = yield* site
        const id = yield* subscribe({ project_channel_ids: [], in_app: false })
        const rows = yield* Effect.forEach(Array.from({ length: 99 }), () => Ids.next)
        const [subscription] = yield* sql<object>`SELECT * FROM subscriptions WHERE id = ${id}`
        yield* sql`INSERT INTO subscriptions ${sql.insert(rows.map((id) => ({ ...subscription, id })))}`
        const events = yield* Effect.forEach(
          Array.from({ length: 50 }),
          (_, at) => failures(project.id, `f${at % 2}`, 100)
        )
        yield* record(events)
        const count = sql<{ alerts: number; occurrences: number }>`SELECT CAST(count(*) AS INTEGER) AS alerts,
          CAST(sum(occurrences) AS INTEGER) AS occurrences FROM alerts WHERE project_id = ${project.id}`
        const [row] = yield* until(count, ([found]) => found?.occurrences === 100 * 5000)
        assert.strictEqual(row?.alerts, 200)
      }))
  })
})
