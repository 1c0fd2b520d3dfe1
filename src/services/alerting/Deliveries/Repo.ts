import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { DeliveryId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"

export interface InsertedDelivery {
  readonly id: DeliveryId
  readonly project_id: ProjectId | null
  readonly user_id: UserId | null
  readonly subscription_id: string | null
  readonly channel_id: string
  readonly channel_name: string
  readonly channel_type: string
  readonly alert_id: string | null
  readonly trigger_key: string
  readonly task_id: string | null
  readonly task_name: string | null
  /** JSON text. */
  readonly notification: string
  readonly resend_of: DeliveryId | null
  /** Of a batch with more deliveries than are sent at once; null: of a smaller one. */
  readonly batch_id: DeliveryId | null
  readonly triggered_by_user_id: UserId | null
  readonly triggered_by_email: string | null
  /** Messages of one alert to one channel are sent in this order. */
  readonly created_at: Timestamp
}

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
  resend_of: "uuid",
  batch_id: "uuid",
  triggered_by_user_id: "uuid",
  triggered_by_email: "text",
  created_at: "text"
} as const

/** Rows of a statement: each takes about 20 µs of SQLite, which blocks the event loop. */
const slice = 200

export class DeliveriesRepo extends Effect.Service<DeliveriesRepo>()("svc/DeliveriesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const names = sql.literal(Object.keys(insertedColumns).join(", "))

    return {
      /**
       * Inserts pending deliveries. One whose predecessor (of the same alert and channel) waits for a retry is due with
       * it: claims would find and leave out a blocked delivery that is due, again and again.
       */
      insert: (rows: ReadonlyArray<InsertedDelivery>, now: Timestamp) =>
        Effect.forEach(
          Array.from({ length: Math.ceil(rows.length / slice) }, (_, at) => rows.slice(at * slice, (at + 1) * slice)),
          (some) =>
            sql`INSERT INTO deliveries (${names}, status, attempts, due_at)
              SELECT ${names}, 'pending', 0, COALESCE((
                SELECT max(p.due_at) FROM deliveries p WHERE p.alert_id = r.alert_id AND p.channel_id = r.channel_id
                  AND p.due_at IS NOT NULL AND p.claimed_until IS NULL AND p.due_at > ${now}
              ), ${now}) FROM ${recordset(sql, "r", insertedColumns, some)}`,
          { discard: true }
        ),
      /** Ends what waits for the personal channels of a user, about a project that the user leaves. */
      suppressOfMember: (projectId: ProjectId, userId: UserId) =>
        Effect.gen(function*() {
          // in two statements: SQLite would look at all deliveries of the project
          const waiting = yield* sql<{ id: string; project_id: string | null }>`
            SELECT id, project_id FROM deliveries WHERE user_id = ${userId} AND status = 'pending'`
          const ids = waiting.filter(({ project_id }) => project_id === projectId).map(({ id }) => id)
          yield* sql`UPDATE deliveries SET status = 'suppressed', error = 'The owner of the channel left the project.',
              due_at = NULL, claimed_until = NULL
            WHERE ${idIn(sql, ids)}`
        })
    } as const
  })
}) {
  static readonly layer = this.Default
}
