import { SqlClient } from "@effect/sql"
import { Effect, Either, Schema } from "effect"
import type { Consumer } from "../../../domain/kernel/Consumer.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import type { SqliteConnection, SqliteStatement } from "../../../sqlite/Connection.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { deleteInSlices, idIn, skipLocked } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { countOf } from "../../kernel/sql/Rows.ts"
import { bumpRevision } from "./Revision.ts"

export interface TriggerEventRow {
  readonly id: string
  readonly consumer: Consumer
  readonly project_id: ProjectId
  /** A TriggerEvent as JSON text. */
  readonly payload: string
  readonly due_at: Timestamp
  readonly created_at: Timestamp
}

/** An event that its consumer has taken out. */
export interface WaitingEvent {
  readonly id: string
  readonly event: TriggerEvent
  /** Failed ones. */
  readonly attempts: number
  readonly created_at: Timestamp
}

/** The row of an event whose payload could not be read. */
export type UndecodableEvent = Omit<WaitingEvent, "event">

export interface TakenEvents {
  readonly events: ReadonlyArray<WaitingEvent>
  readonly undecodable: ReadonlyArray<UndecodableEvent>
}

type StoredEvent = UndecodableEvent & Pick<TriggerEventRow, "payload">

const columns = ["id", "consumer", "project_id", "payload", "due_at", "created_at"] as const
/** Of the payloads that one transaction takes: an event has up to 100 occurrences, each decoded in about 10 µs. */
const maxTakenLength = 2_000_000

/** The first rows, as many as `maxTakenLength` allows, and one at least. */
const limitRows = (rows: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> => {
  let length = 0
  const end = rows.findIndex(({ payload }) => (length += payload.length) > maxTakenLength)
  return end === -1 ? rows : rows.slice(0, Math.max(1, end))
}

const decodePayload = Schema.decodeUnknownEither(Schema.parseJson(TriggerEvent))

export class TriggerEventsRepo extends Effect.Service<TriggerEventsRepo>()("svc/TriggerEventsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const stored = sql.literal("id, payload, attempts, created_at")
    const inserts = new WeakMap<SqliteConnection, SqliteStatement<Array<string>>>()

    const decodeRows = (rows: ReadonlyArray<StoredEvent>): TakenEvents => {
      const events: Array<WaitingEvent> = []
      const undecodable: Array<UndecodableEvent> = []
      for (const { payload, ...row } of rows) {
        const event = decodePayload(payload)
        if (Either.isRight(event)) events.push({ ...row, event: event.right })
        else undecodable.push(row)
      }
      return { events, undecodable }
    }

    return {
      insert: (rows: ReadonlyArray<TriggerEventRow>) =>
        sql`INSERT INTO trigger_events (id, consumer, project_id, payload, due_at, created_at)
          SELECT r.id, r.consumer, r.project_id, r.payload, r.due_at, r.created_at FROM ${
          recordset(sql, "r", {
            id: "uuid",
            consumer: "text",
            project_id: "uuid",
            payload: "text",
            due_at: "text",
            created_at: "text"
          }, rows)
        }`,

      insertOnSqlite: (db: SqliteConnection, rows: ReadonlyArray<TriggerEventRow>): void => {
        let insert = inserts.get(db)
        if (insert === undefined) {
          insert = db.prepare(`INSERT INTO trigger_events (${columns.join(", ")}) VALUES (?, ?, ?, ?, ?, ?)`)
          inserts.set(db, insert)
        }
        for (const row of rows) insert.run(...columns.map((column) => row[column]))
      },

      bumpRevision: (projectId: ProjectId) => bumpRevision(sql, projectId),

      /** A plain read: most polls find no event and must not occupy SQLite's writer. */
      hasDue: (consumer: Consumer, now: Timestamp) =>
        Effect.map(
          read`SELECT 1 FROM trigger_events WHERE consumer = ${consumer} AND due_at <= ${now} LIMIT 1`,
          (rows) => rows.length > 0
        ),

      /** The events that are due first, locked until the end of the transaction, without those that another one took. */
      take: (consumer: Consumer, now: Timestamp, limit: number) =>
        Effect.map(
          sql<StoredEvent>`SELECT ${stored} FROM trigger_events WHERE consumer = ${consumer} AND due_at <= ${now}
            ORDER BY due_at LIMIT ${limit} ${skipLocked(sql)}`,
          (rows) => decodeRows(limitRows(rows))
        ),

      /** The event, unless another transaction took it. */
      takeOne: (id: string) =>
        Effect.map(
          sql<StoredEvent>`SELECT ${stored} FROM trigger_events WHERE id = ${id} ${skipLocked(sql)}`,
          (rows) => decodeRows(rows).events
        ),

      remove: (ids: ReadonlyArray<string>) => sql`DELETE FROM trigger_events WHERE ${idIn(sql, ids)}`,

      /** Deletes events that were due before, in slices, and returns their number. */
      expire: (consumer: Consumer, before: Timestamp) =>
        Effect.gen(function*() {
          const where = sql`consumer = ${consumer} AND due_at < ${before}`
          const expired = yield* countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM trigger_events WHERE ${where}`)
          if (expired > 0) yield* deleteInSlices(sql, { table: "trigger_events", key: "id", where, skipsLocked: true })
          return expired
        }),

      postpone: (id: string, attempts: number, dueAt: Timestamp) =>
        sql`UPDATE trigger_events SET attempts = ${attempts}, due_at = ${dueAt} WHERE id = ${id}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
