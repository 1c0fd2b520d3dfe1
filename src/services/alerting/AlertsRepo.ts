import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { AlertDetails, AlertStatus } from "../../domain/alerting/Notification/Alert.ts"
import { AlertId, Id, ProjectId, SubscriptionId, UserId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { Trigger } from "../../domain/triggers/Trigger.ts"
import { JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, lockName, onPostgres, skipLocked } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"

export const AlertRow = Schema.Struct({
  id: AlertId,
  project_id: ProjectId,
  subscription_id: SubscriptionId,
  trigger_key: Trigger,
  condition_key: Schema.String,
  status: AlertStatus,
  title: Schema.String,
  occurrences: Schema.Int,
  unsent: Schema.Int,
  details: JsonColumn(AlertDetails),
  first_at: Timestamp,
  last_at: Timestamp,
  due_at: Schema.NullOr(Timestamp),
  messages: Schema.Int,
  last_sent_at: Schema.NullOr(Timestamp),
  acknowledged_at: Schema.NullOr(Timestamp),
  acknowledged_by: Schema.NullOr(UserId),
  snoozed_until: Schema.NullOr(Timestamp),
  escalated_at: Schema.NullOr(Timestamp),
  recovered_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type AlertRow = typeof AlertRow.Type

/** The condition of a subscription. */
export interface AlertKey {
  readonly subscription_id: SubscriptionId
  readonly condition_key: string
}

const VisibleRow = Schema.Struct({ ...AlertRow.fields, user_id: Schema.NullOr(UserId) })
export type VisibleRow = typeof VisibleRow.Type

/** An active channel of a subscription. `user_id` is the channel's owner; null: the project. */
const AlertChannel = Schema.Struct({
  subscription_id: SubscriptionId,
  purpose: Schema.Literal("message", "escalation"),
  id: Id,
  name: Schema.String,
  type: Schema.String,
  user_id: Schema.NullOr(UserId)
})
export type AlertChannel = typeof AlertChannel.Type

const allRows = rowsOf(AlertRow)
const visibleRows = rowsOf(VisibleRow)
const firstVisible = firstRowOf(VisibleRow)
const firstRow = firstRowOf(AlertRow)
const channels = rowsOf(AlertChannel)
const projects = rowsOf(Schema.Struct({ id: ProjectId, slug: Schema.String, name: Schema.String }))
const shares = rowsOf(Schema.Struct({ tasks: Schema.Int, failed: Schema.Int }))
const lastSent = rowsOf(Schema.Struct({ subscription_id: SubscriptionId, condition_key: Schema.String, at: Timestamp }))
const encode = Schema.encodeSync(AlertRow)

const columnTypes = {
  id: "uuid",
  project_id: "uuid",
  subscription_id: "uuid",
  trigger_key: "text",
  condition_key: "text",
  status: "text",
  title: "text",
  occurrences: "bigint",
  unsent: "bigint",
  details: "text",
  first_at: "text",
  last_at: "text",
  due_at: "text",
  messages: "integer",
  last_sent_at: "text",
  acknowledged_at: "text",
  acknowledged_by: "uuid",
  snoozed_until: "text",
  escalated_at: "text",
  recovered_at: "text",
  created_at: "text",
  updated_at: "text"
} as const satisfies Record<keyof AlertRow, string>

const constants = ["id", "project_id", "subscription_id", "trigger_key", "condition_key", "created_at"]

/** Tasks of which a message reports how many failed: they take about 2 ms of SQLite. */
const newestTasks = 500

/** Rows of a statement: a row takes about 30 µs of SQLite, which blocks the event loop. */
const slice = 200

const slicesOf = <A>(rows: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(rows.length / slice) }, (_, index) => rows.slice(index * slice, (index + 1) * slice))

export class AlertsRepo extends Effect.Service<AlertsRepo>()("svc/AlertsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const names = Object.keys(columnTypes)
    const columns = sql.literal(names.join(", "))
    const ownColumns = sql.literal(names.map((name) => `a.${name}`).join(", "))
    const updates = sql.literal(
      names.filter((name) => !constants.includes(name)).map((name) => `${name} = excluded.${name}`).join(", ")
    )
    const keys = (wanted: ReadonlyArray<AlertKey>) =>
      recordset(sql, "k", { subscription_id: "uuid", condition_key: "text" }, wanted)
    const visibleTo = (userId: UserId | null) =>
      userId === null ? sql`s.user_id IS NULL` : sql`(s.user_id IS NULL OR s.user_id = ${userId})`

    return {
      /** One writer of alerts at a time for each project, so that two replicas open no condition twice. */
      lockProject: (projectId: ProjectId) => lockName(sql, `alerts ${projectId}`),
      /** The open alerts of these conditions, locked in the order of their ids. */
      listOpenForUpdate: (wanted: ReadonlyArray<AlertKey>) =>
        wanted.length === 0 ? Effect.succeed([]) : allRows(sql`
          SELECT ${ownColumns} FROM alerts a JOIN ${keys(wanted)}
            ON a.subscription_id = k.subscription_id AND a.condition_key = k.condition_key
          WHERE a.recovered_at IS NULL ORDER BY a.id ${onPostgres(sql, "FOR UPDATE OF a")}`),
      /** When the last message about these conditions was sent, by alerts that have ended. */
      listLastSent: (wanted: ReadonlyArray<AlertKey>) =>
        wanted.length === 0 ? Effect.succeed([]) : lastSent(sql`
          SELECT a.subscription_id, a.condition_key, max(a.last_sent_at) AS at FROM alerts a JOIN ${keys(wanted)}
            ON a.subscription_id = k.subscription_id AND a.condition_key = k.condition_key
          WHERE a.last_sent_at IS NOT NULL GROUP BY a.subscription_id, a.condition_key`),
      /** Alerts that are due, locked, without those that another transaction holds. */
      takeDue: (now: Timestamp, limit: number) =>
        allRows(sql`SELECT ${columns} FROM alerts WHERE due_at IS NOT NULL AND due_at <= ${now}
          ORDER BY due_at LIMIT ${limit} ${skipLocked(sql)}`),
      hasDue: (now: Timestamp) =>
        Effect.map(
          read`SELECT 1 FROM alerts WHERE due_at IS NOT NULL AND due_at <= ${now} LIMIT 1`,
          (rows) => rows.length > 0
        ),
      /** Inserts new alerts and updates known ones. */
      save: (rows: ReadonlyArray<AlertRow>) =>
        Effect.forEach(
          slicesOf(rows),
          (chunk) =>
            sql`INSERT INTO alerts (${columns}) SELECT ${columns} FROM ${
              recordset(sql, "r", columnTypes, chunk.map((row) => encode(row)))
            } WHERE true ON CONFLICT (id) DO UPDATE SET ${updates}`,
          { discard: true }
        ),
      /** The project's own alerts and the user's, newest first, after the id `start`. */
      list: (
        projectId: ProjectId,
        userId: UserId | null,
        { limit, start, status }: {
          readonly limit: number
          readonly start: string | null
          readonly status?: string | undefined
        }
      ) =>
        visibleRows(read`SELECT ${ownColumns}, s.user_id FROM alerts a JOIN subscriptions s ON s.id = a.subscription_id
          WHERE ${
          read.and([
            read`a.project_id = ${projectId}`,
            visibleTo(userId),
            ...(start === null ? [] : [read`a.id < ${start}`]),
            ...(status === undefined ? [] : [read`a.status = ${status}`])
          ])
        } ORDER BY a.id DESC LIMIT ${limit}`),
      find: (projectId: ProjectId, userId: UserId | null, id: AlertId) =>
        firstVisible(read`SELECT ${ownColumns}, s.user_id FROM alerts a JOIN subscriptions s ON s.id = a.subscription_id
          WHERE a.id = ${id} AND a.project_id = ${projectId} AND ${visibleTo(userId)}`),
      findById: (id: AlertId) => firstRow(read`SELECT ${columns} FROM alerts WHERE id = ${id}`),
      /** Whether a channel still receives what is of the project: it is active, and the project's or a member's. */
      isSentThrough: (projectId: ProjectId, channelId: string) =>
        hasRows(read`SELECT 1 FROM channels c LEFT JOIN users u ON u.id = c.user_id
          WHERE c.id = ${channelId} AND c.is_active = 1 AND (c.project_id = ${projectId} OR (
            u.is_active = 1 AND (u.is_admin = 1 OR EXISTS (
              SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.project_id = ${projectId}))))`),
      findForUpdate: (id: AlertId) => firstRow(sql`SELECT ${columns} FROM alerts WHERE id = ${id} ${forUpdate(sql)}`),
      listChannels: (subscriptionIds: ReadonlyArray<SubscriptionId>) =>
        subscriptionIds.length === 0 ? Effect.succeed([]) : channels(sql`
          SELECT l.subscription_id, l.purpose, c.id, c.name, c.type, c.user_id
          FROM subscription_channels l JOIN channels c ON c.id = l.channel_id
          WHERE ${sql.in("l.subscription_id", subscriptionIds)} AND c.is_active = 1 ORDER BY c.id`),
      listProjects: (projectIds: ReadonlyArray<ProjectId>) =>
        projectIds.length === 0
          ? Effect.succeed([])
          : projects(sql`SELECT id, slug, name FROM projects WHERE ${sql.in("id", projectIds)}`),
      /** How many of a name's newest tasks have ended, and how many of these failed. */
      countFailed: (projectId: ProjectId, name: string, sinceId: string) =>
        Effect.map(
          shares(sql`
            SELECT CAST(count(*) AS INTEGER) AS tasks,
              CAST(coalesce(sum(CASE WHEN n.state = 'failure' THEN 1 ELSE 0 END), 0) AS INTEGER) AS failed
            FROM (SELECT state FROM tasks WHERE project_id = ${projectId} AND name = ${name} AND id >= ${sinceId}
              ORDER BY id DESC LIMIT ${newestTasks}) n
            WHERE n.state IN ('success', 'failure')`),
          ([share]) => share ?? { tasks: 0, failed: 0 }
        ),
      markFired: (subscriptionIds: ReadonlyArray<SubscriptionId>, now: Timestamp) =>
        subscriptionIds.length === 0
          ? Effect.void
          : Effect.asVoid(sql`UPDATE subscriptions SET last_fired_at = ${now} WHERE ${sql.in("id", subscriptionIds)}`),
      /** All open alerts of a project are due, because its maintenance windows changed. */
      wakeProject: (projectId: ProjectId, now: Timestamp) =>
        sql`UPDATE alerts SET due_at = ${now} WHERE project_id = ${projectId} AND status = 'open' AND due_at > ${now}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
