import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ChannelId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { BooleanColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { forUpdate } from "../../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"

export const ChannelRow = Schema.Struct({
  id: ChannelId,
  project_id: Schema.NullOr(ProjectId),
  user_id: Schema.NullOr(UserId),
  name: Schema.String,
  type: Schema.String,
  sealed_config: Schema.String,
  is_active: BooleanColumn,
  is_verified: BooleanColumn,
  consecutive_failures: Schema.Int,
  failing_since: Schema.NullOr(Timestamp),
  failure_warning: Schema.Int,
  disabled_at: Schema.NullOr(Timestamp),
  disabled_reason: Schema.NullOr(Schema.String),
  created_by: Schema.NullOr(UserId),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type ChannelRow = typeof ChannelRow.Type

/** Whose channels: a project's or a user's. */
export type ChannelOwner = { readonly project_id: ProjectId } | { readonly user_id: UserId }

const allRows = rowsOf(ChannelRow)
const firstRow = firstRowOf(ChannelRow)
const encode = Schema.encodeSync(ChannelRow)

/** The one attempt of a test, which is finished. */
export interface TestDelivery {
  readonly id: string
  readonly channel: ChannelRow
  readonly notification: string
  readonly status: "sent" | "failed"
  readonly response_code: number | null
  readonly error: string | null
  readonly response_body: string | null
  readonly started_at: Timestamp
  readonly duration_ms: number
  readonly sent_at: Timestamp
  readonly user_id: UserId | null
  readonly email: string | null
}

export class ChannelsRepo extends Effect.Service<ChannelsRepo>()("svc/ChannelsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(ChannelRow.fields).join(", "))
    const ownedBy = (owner: ChannelOwner) =>
      "project_id" in owner ? sql`project_id = ${owner.project_id}` : sql`user_id = ${owner.user_id}`

    return {
      list: (owner: ChannelOwner) => allRows(read`SELECT ${columns} FROM channels WHERE ${ownedBy(owner)} ORDER BY id`),
      find: (owner: ChannelOwner, id: ChannelId) =>
        firstRow(read`SELECT ${columns} FROM channels WHERE id = ${id} AND ${ownedBy(owner)}`),
      /** Locked until the end of the transaction. */
      findForUpdate: (owner: ChannelOwner, id: ChannelId) =>
        firstRow(sql`SELECT ${columns} FROM channels WHERE id = ${id} AND ${ownedBy(owner)} ${forUpdate(sql)}`),
      count: (owner: ChannelOwner) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM channels WHERE ${ownedBy(owner)}`),
      insert: (row: ChannelRow) => sql`INSERT INTO channels ${sql.insert(encode(row))}`,
      update: (row: ChannelRow) => sql`UPDATE channels SET ${sql.update(encode(row), ["id"])} WHERE id = ${row.id}`,
      /** A test of the config succeeded. */
      verify: (id: ChannelId) => sql`UPDATE channels SET is_verified = 1 WHERE id = ${id}`,
      /** Unless the config was changed after the row was read. */
      replaceConfig: ({ id, sealed_config }: ChannelRow, sealed: string) =>
        sql`UPDATE channels SET sealed_config = ${sealed} WHERE id = ${id} AND sealed_config = ${sealed_config}`,
      delete: (id: ChannelId) => sql`DELETE FROM channels WHERE id = ${id}`,

      insertTestDelivery: (test: TestDelivery) =>
        Effect.zipRight(
          sql`INSERT INTO deliveries ${
            sql.insert({
              id: test.id,
              project_id: test.channel.project_id,
              user_id: test.channel.user_id,
              subscription_id: null,
              channel_id: test.channel.id,
              channel_name: test.channel.name,
              channel_type: test.channel.type,
              trigger_key: "test.dispatch",
              notification: test.notification,
              status: test.status,
              attempts: 1,
              due_at: null,
              response_code: test.response_code,
              error: test.error,
              sent_at: test.sent_at,
              triggered_by_user_id: test.user_id,
              triggered_by_email: test.email,
              created_at: test.started_at
            })
          }`,
          sql`INSERT INTO delivery_attempts ${
            sql.insert({
              delivery_id: test.id,
              number: 1,
              started_at: test.started_at,
              duration_ms: test.duration_ms,
              response_code: test.response_code,
              error: test.error,
              response_body: test.response_body
            })
          }`
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
