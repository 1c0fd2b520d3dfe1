import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { DeliveryId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../kernel/Ids.ts"
import { BooleanColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { forNoKeyUpdate, idIn, lockName, skipLocked } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"

/** Channels of one look. A look at more would block SQLite's event loop; the next one continues after them. */
export const channelsOfLook = 500

/** Deliveries of one batch of events that are sent at once, by all replicas (interface, Limits). */
export const maxOfBatch = 16

/** So many are sent before a channel whose last attempt failed gets none of the others: they are for the other channels. */
const maxOfBatchBeforeFailing = maxOfBatch / 2

/** Batches of which no further delivery is sent now. */
export interface BusyBatches {
  readonly full: ReadonlyArray<string>
  /** For channels whose last attempt failed, those that are full too. */
  readonly fullForFailing: ReadonlyArray<string>
}

/** A claim for one channel. */
interface ClaimOptions {
  readonly channelId: string
  readonly isFailing: boolean
  readonly limit: number
  readonly now: Timestamp
  readonly until: Timestamp
  readonly busy: BusyBatches
}

/** A channel with pending deliveries; its own columns are null after it was deleted. */
const WaitingChannel = Schema.Struct({
  channel_id: Schema.String,
  /** Of its pending delivery that is due first; null: all are of batches that are busy. */
  due_at: Schema.NullOr(Timestamp),
  is_active: Schema.NullOr(BooleanColumn),
  /** False: a personal channel whose user may not sign in. */
  is_owner_active: BooleanColumn,
  consecutive_failures: Schema.NullOr(Schema.Int)
})
export type WaitingChannel = typeof WaitingChannel.Type

const ClaimedDelivery = Schema.Struct({
  id: DeliveryId,
  project_id: Schema.NullOr(ProjectId),
  user_id: Schema.NullOr(UserId),
  channel_id: Schema.String,
  channel_name: Schema.String,
  channel_type: Schema.String,
  alert_id: Schema.NullOr(Schema.String),
  trigger_key: Schema.String,
  notification: Schema.String,
  /** Those that have ended. */
  attempts: Schema.Int,
  claimed_until: Timestamp,
  resend_of: Schema.NullOr(Schema.String),
  created_at: Timestamp
})
export type ClaimedDelivery = typeof ClaimedDelivery.Type

/** What the health of a channel is counted in, and who owns it. */
const ChannelState = Schema.Struct({
  id: Schema.String,
  project_id: Schema.NullOr(ProjectId),
  user_id: Schema.NullOr(UserId),
  name: Schema.String,
  type: Schema.String,
  is_active: BooleanColumn,
  consecutive_failures: Schema.Int,
  failing_since: Schema.NullOr(Timestamp),
  failure_warning: Schema.Int
})
export type ChannelState = typeof ChannelState.Type

const ChannelRef = Schema.Struct({ id: Schema.String, name: Schema.String, type: Schema.String })
const UserRef = Schema.Struct({ user_id: UserId })
const SealedConfig = Schema.Struct({ id: Schema.String, sealed_config: Schema.String })

/** How an attempt ended, as it is written. */
export interface RecordedAttempt {
  readonly delivery_id: DeliveryId
  readonly number: number
  readonly started_at: Timestamp
  readonly duration_ms: number
  readonly response_code: number | null
  readonly error: string | null
  readonly response_body: string | null
  readonly status: "pending" | "sent" | "failed"
  /** Of a pending one. */
  readonly due_at: Timestamp | null
  /** Of the claim: a delivery that another process has claimed since is left to it. */
  readonly claimed_until: Timestamp
}

const attemptColumns = {
  delivery_id: "uuid",
  number: "integer",
  started_at: "text",
  duration_ms: "integer",
  response_code: "integer",
  error: "text",
  response_body: "text",
  status: "text",
  due_at: "text",
  claimed_until: "text"
} as const

const successorColumns = { alert_id: "uuid", channel_id: "uuid", created_at: "text", due_at: "text" } as const

const channelRows = rowsOf(WaitingChannel)
const claimedRows = rowsOf(ClaimedDelivery)
const stateRows = rowsOf(ChannelState)
const firstChannel = firstRowOf(ChannelRef)
const userRows = rowsOf(UserRef)
const configRows = rowsOf(SealedConfig)
const countRows = rowsOf(Schema.Struct({ waiting: Schema.Int, oldest: Schema.NullOr(Timestamp) }))
const idRows = rowsOf(Schema.Struct({ id: DeliveryId }))
const batchRows = rowsOf(Schema.Struct({ batch_id: Schema.String, sends: Schema.Int }))

/** The queue of pending deliveries: `due_at` is null on all others, and in a claim's lease its end. */
export class QueueRepo extends Effect.Service<QueueRepo>()("svc/DeliveryQueueRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const claimedColumns = sql.literal(Object.keys(ClaimedDelivery.fields).join(", "))
    const stateColumns = sql.literal(Object.keys(ChannelState.fields).join(", "))
    const idsOf = (rows: ReadonlyArray<{ readonly id: DeliveryId }>) => rows.map(({ id }) => id)

    const isSent = (alias: string, now: Timestamp) =>
      sql`${sql(alias)}.claimed_until IS NOT NULL AND ${sql(alias)}.claimed_until > ${now}`
    const isOutside = (batches: ReadonlyArray<string>) =>
      batches.length === 0 ? sql.literal("TRUE") : sql`(d.batch_id IS NULL OR NOT ${idIn(sql, batches, "d.batch_id")})`

    const findBusyBatches = (client: SqlClient.SqlClient, now: Timestamp) =>
      Effect.map(
        batchRows(client`SELECT batch_id, CAST(count(*) AS INTEGER) AS sends FROM deliveries d
          WHERE batch_id IS NOT NULL AND ${isSent("d", now)}
          GROUP BY batch_id HAVING count(*) >= ${maxOfBatchBeforeFailing}`),
        (rows): BusyBatches => ({
          full: rows.filter(({ sends }) => sends >= maxOfBatch).map(({ batch_id }) => batch_id),
          fullForFailing: rows.map(({ batch_id }) => batch_id)
        })
      )

    return {
      /** What a look leaves out. Counts the sends of all replicas. */
      listBusyBatches: (now: Timestamp) => findBusyBatches(read, now),
      /**
       * The same for claims, locked until the end of the transaction: two replicas would count the same sends, and each
       * add its own.
       */
      lockBatches: (now: Timestamp) => Effect.zipRight(lockName(sql, "delivery batches"), findBusyBatches(sql, now)),
      /**
       * The channels with pending deliveries, in the order of their ids, after `after`. It steps from channel to channel on
       * the index `deliveries_channel_due`, so a channel's backlog costs nothing, but for deliveries of full batches before
       * the first other one.
       */
      listWaiting: (after: string | null, { full, fullForFailing }: BusyBatches) =>
        channelRows(read`WITH RECURSIVE waiting (channel_id) AS (
            SELECT (SELECT channel_id FROM deliveries WHERE due_at IS NOT NULL AND channel_id > ${after ?? Ids.minId}
              ORDER BY channel_id LIMIT 1)
            UNION ALL
            SELECT (SELECT d.channel_id FROM deliveries d WHERE d.due_at IS NOT NULL AND d.channel_id > w.channel_id
              ORDER BY d.channel_id LIMIT 1) FROM waiting w WHERE w.channel_id IS NOT NULL
          ), page AS (SELECT channel_id FROM waiting WHERE channel_id IS NOT NULL LIMIT ${channelsOfLook})
          SELECT s.channel_id, c.is_active, coalesce(u.is_active, 1) AS is_owner_active, c.consecutive_failures,
            (SELECT d.due_at FROM deliveries d WHERE d.channel_id = s.channel_id AND d.due_at IS NOT NULL
              AND ${isOutside(full)} AND (coalesce(c.consecutive_failures, 0) = 0 OR ${isOutside(fullForFailing)})
              ORDER BY d.due_at LIMIT 1) AS due_at
          FROM page s LEFT JOIN channels c ON c.id = s.channel_id LEFT JOIN users u ON u.id = c.user_id`),

      /**
       * Claims at most `limit` deliveries of a channel that are due, whose predecessors of the same alert have ended, and
       * whose batch has fewer sends than it may have. Call `lockBatches` before.
       */
      claim: ({ busy, channelId, isFailing, limit, now, until }: ClaimOptions) =>
        claimedRows(sql`WITH picked AS MATERIALIZED (
            SELECT d.id, d.batch_id, d.due_at FROM deliveries d
            WHERE d.channel_id = ${channelId} AND d.due_at IS NOT NULL AND d.due_at <= ${now}
              AND ${isOutside(isFailing ? busy.fullForFailing : busy.full)}
              AND NOT EXISTS (
                SELECT 1 FROM deliveries p WHERE p.alert_id = d.alert_id AND p.channel_id = d.channel_id
                  AND p.due_at IS NOT NULL AND (p.created_at, p.id) < (d.created_at, d.id)
              )
            ORDER BY d.due_at LIMIT ${limit} ${skipLocked(sql)}
          ), ranked AS (
            SELECT id, batch_id, row_number() OVER (PARTITION BY batch_id ORDER BY due_at, id) AS place FROM picked
          ) UPDATE deliveries SET due_at = ${until}, claimed_until = ${until} WHERE id IN (
            SELECT r.id FROM ranked r WHERE r.batch_id IS NULL OR r.place + (
              SELECT count(*) FROM deliveries s WHERE s.batch_id = r.batch_id AND ${isSent("s", now)}
            ) <= ${isFailing ? maxOfBatchBeforeFailing : maxOfBatch}
          )
          RETURNING ${claimedColumns}`),
      /** Ends at most `limit` deliveries of a channel that is gone or not active. Those that are being sent remain. */
      suppress: (channelId: string, reason: string, now: Timestamp, limit: number) =>
        sql`UPDATE deliveries SET status = 'suppressed', error = ${reason}, due_at = NULL, claimed_until = NULL WHERE id IN (
            SELECT id FROM deliveries WHERE channel_id = ${channelId} AND due_at IS NOT NULL
              AND (claimed_until IS NULL OR claimed_until <= ${now})
            ORDER BY due_at LIMIT ${limit} ${skipLocked(sql)}
          ) RETURNING channel_type`,
      /** Gives claims back: any process may send them from `dueAt` on. */
      release: (claims: ReadonlyArray<ClaimedDelivery>, dueAt: Timestamp) =>
        sql`UPDATE deliveries SET due_at = ${dueAt}, claimed_until = NULL
          WHERE ${idIn(sql, idsOf(claims))} AND claimed_until = ${claims[0]?.claimed_until ?? ""}`,
      listConfigs: (channelIds: ReadonlyArray<string>) =>
        configRows(read`SELECT id, sealed_config FROM channels WHERE ${idIn(read, channelIds)}`),

      /** Writes the attempts, and returns the ids of the deliveries that were still claimed by this process. */
      record: (attempts: ReadonlyArray<RecordedAttempt>) =>
        Effect.zipLeft(
          Effect.map(
            idRows(sql`UPDATE deliveries AS d SET status = r.status, attempts = r.number, due_at = r.due_at,
                claimed_until = NULL, response_code = r.response_code, error = r.error, sent_at = r.started_at
              FROM ${recordset(sql, "r", attemptColumns, attempts)}
              WHERE d.id = r.delivery_id AND d.claimed_until = r.claimed_until AND d.status = 'pending' RETURNING id`),
            (rows) => new Set(idsOf(rows))
          ),
          // without a delivery: it went with its project
          sql`INSERT INTO delivery_attempts
              (delivery_id, number, started_at, duration_ms, response_code, error, response_body)
            SELECT delivery_id, number, started_at, duration_ms, response_code, error, response_body
            FROM ${recordset(sql, "r", attemptColumns, attempts)}
            WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.id = r.delivery_id) ON CONFLICT DO NOTHING`
        ),
      /** Later messages of the same alerts to the same channels are due with their predecessor. */
      moveSuccessors: (
        predecessors: ReadonlyArray<{
          readonly alert_id: string | null
          readonly channel_id: string
          readonly created_at: Timestamp
          readonly due_at: Timestamp
        }>
      ) =>
        sql`UPDATE deliveries AS d SET due_at = r.due_at FROM ${recordset(sql, "r", successorColumns, predecessors)}
          WHERE d.alert_id = r.alert_id AND d.channel_id = r.channel_id AND d.due_at IS NOT NULL
            AND d.claimed_until IS NULL AND d.created_at > r.created_at`,

      /** Locked until the end of the transaction, in the order of the ids. */
      lockChannels: (ids: ReadonlyArray<string>) =>
        stateRows(
          sql`SELECT ${stateColumns} FROM channels WHERE ${idIn(sql, ids)} ORDER BY id ${forNoKeyUpdate(sql)}`
        ),
      markHealthy: (id: string) =>
        sql`UPDATE channels SET consecutive_failures = 0, failing_since = NULL, failure_warning = 0 WHERE id = ${id}`,
      markFailing: (id: string, failures: number, since: Timestamp, warning: number) =>
        sql`UPDATE channels SET consecutive_failures = ${failures}, failing_since = ${since},
          failure_warning = ${warning} WHERE id = ${id}`,
      disable: (id: string, reason: string, now: Timestamp) =>
        sql`UPDATE channels SET is_active = 0, disabled_at = ${now}, disabled_reason = ${reason}, updated_at = ${now}
          WHERE id = ${id}`,
      /** Unless the config was changed since it was read. */
      replaceConfig: (id: string, former: string, sealed: string) =>
        sql`UPDATE channels SET sealed_config = ${sealed} WHERE id = ${id} AND sealed_config = ${former}`,
      /** Another active channel of the same owner, the healthiest first. */
      findOther: ({ id, project_id, user_id }: ChannelState) =>
        Effect.map(
          firstChannel(sql`SELECT id, name, type FROM channels
            WHERE ${project_id === null ? sql`user_id = ${user_id}` : sql`project_id = ${project_id}`}
              AND id <> ${id} AND is_active = 1 ORDER BY consecutive_failures, id LIMIT 1`),
          Option.getOrNull
        ),
      listAdmins: (projectId: ProjectId) =>
        Effect.map(
          userRows(sql`SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE m.project_id = ${projectId} AND m.role = 'admin' AND u.is_active = 1 ORDER BY m.user_id`),
          (rows) => rows.map(({ user_id }) => user_id)
        ),
      /** Pending deliveries, at most `most`, and the time since which the first of them is due. */
      countWaiting: (most: number) =>
        Effect.map(
          countRows(read`SELECT CAST(count(*) AS INTEGER) AS waiting, min(due_at) AS oldest
            FROM (SELECT due_at FROM deliveries WHERE due_at IS NOT NULL ORDER BY due_at LIMIT ${most}) AS counted`),
          ([row]) => row ?? { waiting: 0, oldest: null }
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
