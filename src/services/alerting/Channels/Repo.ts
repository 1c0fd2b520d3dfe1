import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ChannelId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { BooleanColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { forNoKeyUpdate, forUpdate, idIn } from "../../kernel/sql/Dialect.ts"
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

/** What a row says of a channel that accepts its messages. */
export const healthy = { consecutive_failures: 0, failing_since: null, failure_warning: 0 } as const

/** What its deliveries say of a channel. */
const ChannelHealth = ChannelRow.pick(
  "is_active",
  "consecutive_failures",
  "failing_since",
  "failure_warning",
  "disabled_at",
  "disabled_reason",
  "updated_at"
)

const ChannelRef = ChannelRow.pick("id", "name", "type", "is_active")

/** Whose channels: a project's or a user's. */
export type ChannelOwner = { readonly project_id: ProjectId } | { readonly user_id: UserId }

const allRows = rowsOf(ChannelRow)
const firstRow = firstRowOf(ChannelRow)
const refRows = rowsOf(ChannelRef)
const firstRef = firstRowOf(ChannelRef)
const configRows = rowsOf(ChannelRow.pick("id", "sealed_config"))
const encode = Schema.encodeSync(ChannelRow)
const encodeHealth = Schema.encodeSync(Schema.partialWith(ChannelHealth, { exact: true }))

export class ChannelsRepo extends Effect.Service<ChannelsRepo>()("svc/ChannelsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(ChannelRow.fields).join(", "))
    const refColumns = sql.literal(Object.keys(ChannelRef.fields).join(", "))
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
      setHealth: (id: ChannelId, health: Partial<typeof ChannelHealth.Type>) =>
        sql`UPDATE channels SET ${sql.update(encodeHealth(health))} WHERE id = ${id}`,
      /** A test of the config succeeded. */
      verify: (id: ChannelId) => sql`UPDATE channels SET is_verified = 1 WHERE id = ${id}`,
      /** Unless the config was changed since it was read. */
      replaceConfig: (id: string, former: string, sealed: string) =>
        sql`UPDATE channels SET sealed_config = ${sealed} WHERE id = ${id} AND sealed_config = ${former}`,
      delete: (id: ChannelId) => sql`DELETE FROM channels WHERE id = ${id}`,

      /** Locked until the end of the transaction, in the order of the ids. */
      lock: (ids: ReadonlyArray<string>) =>
        allRows(sql`SELECT ${columns} FROM channels WHERE ${idIn(sql, ids)} ORDER BY id ${forNoKeyUpdate(sql)}`),
      /** Those of the ids that are the owner's. */
      listRefs: (owner: ChannelOwner, ids: ReadonlyArray<string>) =>
        ids.length === 0 ? Effect.succeed([]) : refRows(sql`SELECT ${refColumns} FROM channels
          WHERE ${idIn(sql, ids)} AND ${ownedBy(owner)} ORDER BY id`),
      listConfigs: (ids: ReadonlyArray<string>) =>
        configRows(read`SELECT id, sealed_config FROM channels WHERE ${idIn(read, ids)}`),
      /** Another active channel of the same owner, the healthiest first. */
      findOther: ({ id, project_id, user_id }: ChannelRow) =>
        firstRef(sql`SELECT ${refColumns} FROM channels
          WHERE ${project_id === null ? sql`user_id = ${user_id}` : sql`project_id = ${project_id}`}
            AND id <> ${id} AND is_active = 1 ORDER BY consecutive_failures, id LIMIT 1`)
    } as const
  })
}) {
  static readonly layer = this.Default
}
