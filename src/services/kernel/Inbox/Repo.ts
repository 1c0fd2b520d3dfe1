import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import {
  type ProjectId,
  type UserId,
  UserId as UserIdSchema,
  type UserNotificationId
} from "../../../domain/kernel/Id.ts"
import { type Timestamp, toEpochMillis } from "../../../domain/kernel/Timestamp.ts"
import { UserNotification } from "../../../domain/kernel/UserNotification.ts"
import type { ProjectView } from "../CurrentActor.ts"
import { maxIdAt, minIdAt } from "../Ids.ts"
import { JsonColumn } from "../sql/ColumnTypes.ts"
import { Reader } from "../sql/Database.ts"
import { isInView } from "../sql/Dialect.ts"
import { recordset } from "../sql/Recordset.ts"
import { countOf, hasRows, rowsOf } from "../sql/Rows.ts"

export interface InsertedUserNotification {
  readonly id: UserNotificationId
  readonly user_id: UserId
  readonly project_id: ProjectId
  readonly subscription_id: string | null
  readonly alert_id: string | null
  readonly trigger_key: string
  readonly reason: string
  readonly title: string
  readonly body: string | null
  /** JSON text of an object. */
  readonly data: string
}

const insertedColumns = {
  id: "uuid",
  user_id: "uuid",
  project_id: "uuid",
  subscription_id: "uuid",
  alert_id: "uuid",
  trigger_key: "text",
  reason: "text",
  title: "text",
  body: "text",
  data: "text"
} as const

const { trigger: _, ...shownFields } = UserNotification.fields

const UserNotificationRow = Schema.Struct({
  ...shownFields,
  user_id: UserIdSchema,
  trigger_key: Schema.String,
  data: JsonColumn(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})
export type UserNotificationRow = typeof UserNotificationRow.Type

const allRows = rowsOf(UserNotificationRow)
const userRows = rowsOf(Schema.Struct({ user_id: UserIdSchema }))
const idRows = rowsOf(Schema.Struct({ id: Schema.String }))

/** What rows ask for has ended, and `body` says how. */
export interface ClosedNotice extends Pick<InsertedUserNotification, "project_id" | "trigger_key" | "data"> {
  readonly sent_at: Timestamp
  readonly body: string
}

/** More than between two readings of the clock in a transaction. */
const skewMillis = 60_000

/** Whose rows, and of which projects. */
export interface InboxView {
  readonly user_id: UserId
  readonly projects: ProjectView
}

/** More unread rows are not counted. */
const maxUnread = 10_000

/** Rows of a statement: each takes about 20 µs of SQLite, which blocks the event loop. */
const slice = 200

/** More than come between two trims, so that an inbox that was over the cap shrinks. */
const trimmedAtOnce = 1000

export class InboxRepo extends Effect.Service<InboxRepo>()("svc/InboxRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(UserNotificationRow.fields).join(", "))
    const isIn = ({ projects, user_id }: InboxView) => sql`user_id = ${user_id} AND ${isInView(sql, projects)}`
    const names = sql.literal(Object.keys(insertedColumns).join(", "))

    return {
      insert: (rows: ReadonlyArray<InsertedUserNotification>, now: Timestamp) =>
        Effect.forEach(
          Array.from({ length: Math.ceil(rows.length / slice) }, (_, index) =>
            rows.slice(index * slice, (index + 1) * slice)),
          (chunk) =>
            sql`INSERT INTO user_notifications (${names}, created_at)
              SELECT ${names}, ${now} FROM ${recordset(sql, "r", insertedColumns, chunk)}`,
          { discard: true }
        ),
      /** Deletes rows of a person's inbox beyond the newest `cap` of a project, at most `trimmedAtOnce`. */
      trim: (userId: UserId, projectId: ProjectId, cap: number) =>
        sql`DELETE FROM user_notifications WHERE id IN (
          SELECT id FROM user_notifications WHERE user_id = ${userId} AND project_id = ${projectId}
          ORDER BY id DESC LIMIT ${trimmedAtOnce} OFFSET ${cap}
        )`,
      /** Newest first. */
      list: (view: InboxView, isUnread: boolean, before: string | null, limit: number) =>
        allRows(read`SELECT ${columns} FROM user_notifications WHERE ${
          sql.and([
            isIn(view),
            ...(isUnread ? [sql`read_at IS NULL`] : []),
            ...(before === null ? [] : [sql`id < ${before}`])
          ])
        } ORDER BY id DESC LIMIT ${limit}`),
      /** At most `maxUnread`: each row takes about 1 µs of SQLite, and open streams count after each change. */
      countUnread: (view: InboxView) =>
        countOf(read`SELECT CAST(count(*) AS INTEGER) AS n FROM (SELECT 1 FROM user_notifications
          WHERE ${isIn(view)} AND read_at IS NULL LIMIT ${maxUnread}) AS counted`),
      /** Rows of one moment with this content: they get another text, and are read. Returns their users. */
      close: ({ body, data, project_id, sent_at, trigger_key }: ClosedNotice, now: Timestamp) =>
        Effect.map(
          userRows(sql`UPDATE user_notifications SET body = ${body}, read_at = COALESCE(read_at, ${now})
            WHERE id >= ${minIdAt(toEpochMillis(sent_at) - skewMillis)}
              AND id <= ${maxIdAt(toEpochMillis(sent_at) + skewMillis)} AND project_id = ${project_id}
              AND trigger_key = ${trigger_key} AND data = ${data} RETURNING user_id`),
          (rows) => new Set(rows.map(({ user_id }) => user_id))
        ),
      /** Whether there is such a row; the time of the first reading remains. */
      markRead: (view: InboxView, id: UserNotificationId, now: Timestamp) =>
        hasRows(sql`UPDATE user_notifications SET read_at = COALESCE(read_at, ${now})
          WHERE id = ${id} AND ${isIn(view)} RETURNING 1`),
      /** Some of those before an id, the newest first. Returns the id before which more may be unread; null: none. */
      markSomeRead: (view: InboxView, beforeId: string, now: Timestamp) =>
        Effect.map(
          idRows(sql`UPDATE user_notifications SET read_at = ${now} WHERE id IN (
            SELECT id FROM user_notifications WHERE ${isIn(view)} AND read_at IS NULL AND id < ${beforeId}
            ORDER BY id DESC LIMIT ${slice}
          ) RETURNING id`),
          (rows) => rows.length < slice ? null : rows.reduce((least, { id }) => (id < least ? id : least), beforeId)
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
