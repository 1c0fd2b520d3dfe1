import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Grouping, Hygiene } from "../../../domain/alerting/Notification/Hygiene.ts"
import { SubscriptionFilters } from "../../../domain/alerting/Notification/Subscription.ts"
import { Id, ProjectId, SubscriptionId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Trigger } from "../../../domain/triggers/Trigger.ts"
import { BooleanColumn, JsonColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { forUpdate } from "../../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"
import { bumpRevision } from "../../triggers/TriggerEvents/Revision.ts"

export const SubscriptionRow = Schema.Struct({
  id: SubscriptionId,
  project_id: ProjectId,
  user_id: Schema.NullOr(UserId),
  trigger_key: Trigger,
  filters: JsonColumn(SubscriptionFilters),
  in_app: BooleanColumn,
  cooldown_seconds: Schema.Int,
  grouping: Schema.NullOr(JsonColumn(Grouping)),
  hygiene: JsonColumn(Hygiene),
  muted_until: Schema.NullOr(Timestamp),
  is_active: BooleanColumn,
  last_fired_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type SubscriptionRow = typeof SubscriptionRow.Type

/** What a channel is for: every message, or those about alerts that are not acknowledged. */
export const ChannelPurpose = Schema.Literal("message", "escalation")
export type ChannelPurpose = typeof ChannelPurpose.Type

/** A channel of a subscription. `user_id` is the channel's owner; null: the project. */
const ChannelLink = Schema.Struct({
  subscription_id: SubscriptionId,
  channel_id: Id,
  purpose: ChannelPurpose,
  user_id: Schema.NullOr(UserId)
})
export type ChannelLink = typeof ChannelLink.Type

const allRows = rowsOf(SubscriptionRow)
const firstRow = firstRowOf(SubscriptionRow)
const allLinks = rowsOf(ChannelLink)
const ids = rowsOf(Schema.Struct({ id: Id }))
const projects = firstRowOf(Schema.Struct({ id: ProjectId }))
const encode = Schema.encodeSync(SubscriptionRow)

interface NewLink {
  readonly channel_id: string
  readonly purpose: ChannelPurpose
}

export class SubscriptionsRepo extends Effect.Service<SubscriptionsRepo>()("svc/SubscriptionsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(SubscriptionRow.fields).join(", "))

    return {
      /** The id of the project, if there is one. */
      findProject: (id: string) =>
        Effect.map(projects(sql`SELECT id FROM projects WHERE id = ${id}`), Option.map((row) => row.id)),
      /** In each transaction that changes what a project's subscriptions ask for. */
      bumpRevision: (projectId: ProjectId) => bumpRevision(sql, projectId),
      /** Oldest first. */
      listDefaults: (projectId: ProjectId) =>
        allRows(
          read`SELECT ${columns} FROM subscriptions WHERE project_id = ${projectId} AND user_id IS NULL ORDER BY id`
        ),
      /** Newest first, after the id `start`. */
      listPersonal: (userId: UserId, projectId: string | null, start: string | null, limit: number) =>
        allRows(read`SELECT ${columns} FROM subscriptions
          WHERE ${
          sql.and([
            sql`user_id = ${userId}`,
            ...(projectId === null ? [] : [sql`project_id = ${projectId}`]),
            ...(start === null ? [] : [sql`id < ${start}`])
          ])
        } ORDER BY id DESC LIMIT ${limit}`),
      findDefaultForUpdate: (projectId: ProjectId, id: SubscriptionId) =>
        firstRow(sql`SELECT ${columns} FROM subscriptions
          WHERE id = ${id} AND project_id = ${projectId} AND user_id IS NULL ${forUpdate(sql)}`),
      findPersonalForUpdate: (userId: UserId, id: SubscriptionId) =>
        firstRow(sql`SELECT ${columns} FROM subscriptions WHERE id = ${id} AND user_id = ${userId} ${forUpdate(sql)}`),
      countDefaults: (projectId: ProjectId) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM subscriptions
          WHERE project_id = ${projectId} AND user_id IS NULL`),
      countPersonal: (userId: UserId) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM subscriptions WHERE user_id = ${userId}`),
      /** The channels of these subscriptions, in the order of their ids. */
      listChannels: (subscriptionIds: ReadonlyArray<SubscriptionId>, from = read) =>
        subscriptionIds.length === 0 ? Effect.succeed([]) : allLinks(from`
          SELECT l.subscription_id, l.channel_id, l.purpose, c.user_id
          FROM subscription_channels l JOIN channels c ON c.id = l.channel_id
          WHERE ${sql.in("l.subscription_id", subscriptionIds)} ORDER BY l.channel_id`),
      insert: (row: SubscriptionRow) => sql`INSERT INTO subscriptions ${sql.insert(encode(row))}`,
      update: (row: SubscriptionRow) =>
        sql`UPDATE subscriptions SET ${sql.update(encode(row), ["id"])} WHERE id = ${row.id}`,
      delete: (id: SubscriptionId) => sql`DELETE FROM subscriptions WHERE id = ${id}`,
      /** The ids of the deleted ones. */
      deleteOfMember: (projectId: ProjectId, userId: UserId) =>
        ids(sql`DELETE FROM subscriptions WHERE user_id = ${userId} AND project_id = ${projectId} RETURNING id`),
      /** Replaces the channels of a subscription. */
      setChannels: (subscriptionId: SubscriptionId, links: ReadonlyArray<NewLink>) =>
        Effect.gen(function*() {
          yield* sql`DELETE FROM subscription_channels WHERE subscription_id = ${subscriptionId}`
          if (links.length === 0) return
          yield* sql`INSERT INTO subscription_channels ${
            sql.insert(links.map((link) => ({ subscription_id: subscriptionId, ...link })))
          }`
        })
    } as const
  })
}) {
  static readonly layer = this.Default
}
