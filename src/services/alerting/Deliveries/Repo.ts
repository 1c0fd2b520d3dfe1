import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Schema } from "effect"
import { DeliveryAttempt, DeliveryStatus } from "../../../domain/alerting/Delivery.ts"
import { DeliveryId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../kernel/Ids.ts"
import { BooleanColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { idIn, lockName, skipLocked } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"

/** Channels of one poll. More would block SQLite's event loop; the next poll continues after them. */
export const channelsPerPoll = 500

/** Deliveries of one batch of events that are sent at once, by all replicas (interface, Limits). */
export const maxOfBatch = 16

/** So many are sent before a channel whose last attempt failed gets none of the others: they are for the other channels. */
const maxOfBatchBeforeFailing = maxOfBatch / 2

/** Rows of a statement: each takes about 20 µs of SQLite, which blocks the event loop. */
const slice = 200

/** A row of `deliveries`; `LogRepo.ts` reads some of its columns too. */
export const DeliveryRow = Schema.Struct({
  id: DeliveryId,
  project_id: Schema.NullOr(ProjectId),
  user_id: Schema.NullOr(UserId),
  subscription_id: Schema.NullOr(Schema.String),
  channel_id: Schema.String,
  channel_name: Schema.String,
  channel_type: Schema.String,
  alert_id: Schema.NullOr(Schema.String),
  trigger_key: Schema.String,
  task_id: Schema.NullOr(Schema.String),
  task_name: Schema.NullOr(Schema.String),
  /** JSON text. */
  notification: Schema.String,
  status: DeliveryStatus,
  /** Attempts that have ended. */
  attempts: Schema.Int,
  due_at: Schema.NullOr(Timestamp),
  claimed_until: Schema.NullOr(Timestamp),
  response_code: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  sent_at: Schema.NullOr(Timestamp),
  resend_of: Schema.NullOr(DeliveryId),
  /** Of a batch with more deliveries than are sent at once; null: of a smaller one. */
  batch_id: Schema.NullOr(DeliveryId),
  triggered_by_user_id: Schema.NullOr(UserId),
  triggered_by_email: Schema.NullOr(Schema.String),
  /** Messages of one alert to one channel are sent in this order. */
  created_at: Timestamp
})

const ClaimedDelivery = Schema.Struct({
  ...DeliveryRow.pick(
    "id",
    "project_id",
    "user_id",
    "channel_id",
    "channel_name",
    "channel_type",
    "alert_id",
    "trigger_key",
    "notification",
    "attempts",
    "resend_of",
    "created_at"
  ).fields,
  claimed_until: Timestamp
})
export type ClaimedDelivery = typeof ClaimedDelivery.Type

const insertedColumns = {
  id: "uuid",
  project_id: "uuid",
  user_id: "uuid",
  subscription_id: "uuid",
  channel_id: "uuid",
  channel_name: "text",
  channel_type: "text",
  alert_id: "uuid",
  trigger_key: "text",
  task_id: "text",
  task_name: "text",
  notification: "text",
  claimed_until: "text",
  resend_of: "uuid",
  batch_id: "uuid",
  triggered_by_user_id: "uuid",
  triggered_by_email: "text",
  created_at: "text"
} as const satisfies Partial<Record<keyof typeof DeliveryRow.Type, string>>
export type InsertedDelivery = Pick<typeof DeliveryRow.Type, keyof typeof insertedColumns>

/** How an attempt ended, as it is written. */
export interface RecordedAttempt extends DeliveryAttempt {
  readonly delivery_id: DeliveryId
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
} as const satisfies Record<keyof RecordedAttempt, string>

const successorColumns = { alert_id: "uuid", channel_id: "uuid", created_at: "text", due_at: "text" } as const

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

const channelRows = rowsOf(WaitingChannel)
const claimedRows = rowsOf(ClaimedDelivery)
const countRows = rowsOf(Schema.Struct({ waiting: Schema.Int, oldest: Schema.NullOr(Timestamp) }))
const idRows = rowsOf(Schema.Struct({ id: DeliveryId }))
const batchRows = rowsOf(Schema.Struct({ batch_id: Schema.String, sends: Schema.Int }))

/**
 * Deliveries, from their insert to the record of their attempts: a queue of those that are pending. `due_at` is null on
 * all others, and during a claim it is the end of the claim's lease. `LogRepo.ts` shows and deletes them.
 */
export class DeliveriesRepo extends Effect.Service<DeliveriesRepo>()("svc/DeliveriesRepo", {
  // One statement a method; they share the conditions about claims and batches.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const namesOf = (columns: object) => sql.literal(Object.keys(columns).join(", "))
    const insertedNames = namesOf(insertedColumns)
    const claimedNames = namesOf(ClaimedDelivery.fields)
    const attemptNames = namesOf({ delivery_id: "uuid", ...DeliveryAttempt.fields })
    const idsOf = (rows: ReadonlyArray<{ readonly id: DeliveryId }>) => rows.map(({ id }) => id)

    const setSuppressed = (reason: string) =>
      sql`UPDATE deliveries SET status = 'suppressed', error = ${reason}, due_at = NULL, claimed_until = NULL`
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
      /**
       * Inserts pending deliveries; a test's is inserted as claimed, and ends in the same transaction. One whose predecessor (of the same alert and channel) waits for a retry is due with
       * it: claims would find and leave out a blocked delivery that is due, again and again.
       */
      insert: (rows: ReadonlyArray<InsertedDelivery>, now: Timestamp) =>
        Effect.forEach(
          Arr.chunksOf(rows, slice),
          (chunk) =>
            sql`INSERT INTO deliveries (${insertedNames}, status, attempts, due_at)
              SELECT ${insertedNames}, 'pending', 0, COALESCE((
                SELECT max(p.due_at) FROM deliveries p WHERE p.alert_id = r.alert_id AND p.channel_id = r.channel_id
                  AND p.due_at IS NOT NULL AND p.claimed_until IS NULL AND p.due_at > ${now}
              ), ${now}) FROM ${recordset(sql, "r", insertedColumns, chunk)}`,
          { discard: true }
        ),

      /** The batches that a poll skips. Counts the sends of all replicas. */
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
          ), page AS (SELECT channel_id FROM waiting WHERE channel_id IS NOT NULL LIMIT ${channelsPerPoll})
          SELECT s.channel_id, c.is_active, coalesce(u.is_active, 1) AS is_owner_active, c.consecutive_failures,
            (SELECT d.due_at FROM deliveries d WHERE d.channel_id = s.channel_id AND d.due_at IS NOT NULL
              AND ${isOutside(full)} AND (coalesce(c.consecutive_failures, 0) = 0 OR ${isOutside(fullForFailing)})
              ORDER BY d.due_at LIMIT 1) AS due_at
          FROM page s LEFT JOIN channels c ON c.id = s.channel_id LEFT JOIN users u ON u.id = c.user_id`),
      /** Pending deliveries, at most `most`, and the time since which the first of them is due. */
      countWaiting: (most: number) =>
        Effect.map(
          countRows(read`SELECT CAST(count(*) AS INTEGER) AS waiting, min(due_at) AS oldest
            FROM (SELECT due_at FROM deliveries WHERE due_at IS NOT NULL ORDER BY due_at LIMIT ${most}) AS counted`),
          ([row]) => row ?? { waiting: 0, oldest: null }
        ),

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
          RETURNING ${claimedNames}`),
      /** Gives claims back: any process may send them from `dueAt` on. */
      release: (claims: ReadonlyArray<ClaimedDelivery>, dueAt: Timestamp) =>
        sql`UPDATE deliveries SET due_at = ${dueAt}, claimed_until = NULL
          WHERE ${idIn(sql, idsOf(claims))} AND claimed_until = ${claims[0]?.claimed_until ?? ""}`,
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
          sql`INSERT INTO delivery_attempts (${attemptNames}) SELECT ${attemptNames}
            FROM ${recordset(sql, "r", attemptColumns, attempts)}
            WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.id = r.delivery_id) ON CONFLICT DO NOTHING`
        ),
      /** Later messages of the same alerts to the same channels are due with their predecessor. */
      moveSuccessors: (
        predecessors: ReadonlyArray<
          Pick<ClaimedDelivery, "alert_id" | "channel_id" | "created_at"> & { readonly due_at: Timestamp }
        >
      ) =>
        sql`UPDATE deliveries AS d SET due_at = r.due_at FROM ${recordset(sql, "r", successorColumns, predecessors)}
          WHERE d.alert_id = r.alert_id AND d.channel_id = r.channel_id AND d.due_at IS NOT NULL
            AND d.claimed_until IS NULL AND d.created_at > r.created_at`,

      /** Ends at most `limit` deliveries of a channel that is gone or not active. Those that are being sent remain. */
      suppress: (channelId: string, reason: string, now: Timestamp, limit: number) =>
        sql`${setSuppressed(reason)} WHERE id IN (
            SELECT id FROM deliveries WHERE channel_id = ${channelId} AND due_at IS NOT NULL
              AND (claimed_until IS NULL OR claimed_until <= ${now})
            ORDER BY due_at LIMIT ${limit} ${skipLocked(sql)}
          ) RETURNING channel_type`,
      /** Ends what waits for the personal channels of a user, about a project that the user leaves. */
      suppressOfMember: (projectId: ProjectId, userId: UserId) =>
        Effect.gen(function*() {
          // in two statements: SQLite would read all deliveries of the project
          const waiting = yield* sql<{ id: string; project_id: string | null }>`
            SELECT id, project_id FROM deliveries WHERE user_id = ${userId} AND status = 'pending'`
          const ids = waiting.filter(({ project_id }) => project_id === projectId).map(({ id }) => id)
          yield* sql`${setSuppressed("The owner of the channel left the project.")} WHERE ${idIn(sql, ids)}`
        })
    } as const
  })
}) {
  static readonly layer = this.Default
}
