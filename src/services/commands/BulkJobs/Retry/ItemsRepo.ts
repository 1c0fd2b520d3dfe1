import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema, Struct } from "effect"
import { BulkRetryItem, type ItemStatus } from "../../../../domain/commands/BulkRetry/Item.ts"
import type { Outcome, RetryCommand } from "../../../../domain/commands/BulkRetry/Outcome.ts"
import { noOutcomes, TaskOutcome, type TaskOutcomes } from "../../../../domain/commands/BulkRetry/TaskOutcome.ts"
import type { AgentId, CommandId } from "../../../../domain/kernel/Id.ts"
import type { TaskState } from "../../../../domain/kernel/TaskState.ts"
import * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../../kernel/Ids.ts"
import { Reader } from "../../../kernel/sql/Database.ts"
import { idIn } from "../../../kernel/sql/Dialect.ts"
import { recordset } from "../../../kernel/sql/Recordset.ts"
import { rowsOf } from "../../../kernel/sql/Rows.ts"
import { Scans } from "../../../tasks/Scans.ts"
import { type RetryColumns, retryOutcome } from "../../RetryOutcome.ts"
import type { BulkRetry } from "../Row.ts"

/** The primary key of a request's tasks, without the position. */
type RequestKey = Pick<BulkRetry, "id" | "project_id">

/** A task as it was when the set was frozen. */
export interface NewItem {
  readonly position: number
  readonly engine: string
  readonly task_id: string
  readonly name: string
  readonly state: TaskState
}

/** The next pending task, as it was and as it is. */
export interface PendingItem extends NewItem {
  /** Null: the task was deleted. */
  readonly current_state: TaskState | null
  readonly current_name: string | null
  /** The agent that reported the task's worker; null: none is known. */
  readonly reporter: AgentId | null
  /** 1: a retry of the task was confirmed since. */
  readonly is_retried: number
}

/** A commanded task beside its command. */
export interface ClaimedItem extends RetryCommand {
  readonly position: number
  readonly engine: string
  readonly command_id: CommandId
}

/** The end of a task. */
export interface ItemEnd extends Outcome {
  readonly position: number
}

const keyColumns = { project_id: "uuid", request_id: "uuid", position: "integer" } as const

const endColumns = {
  status: "text",
  reason: "text",
  error: "text",
  new_task_id: "text"
} satisfies Record<Exclude<keyof ItemEnd, "position">, "text">

const newColumns = {
  position: "integer",
  engine: "text",
  task_id: "text",
  name: "text",
  state: "text"
} satisfies Record<keyof NewItem, "integer" | "text">

const items = rowsOf(BulkRetryItem)
const storedNames = Struct.keys(Struct.omit(BulkRetryItem.fields, "outcome"))
const decodeItem = Schema.decodeUnknownSync(BulkRetryItem)
const decodeOutcomeCount = Schema.decodeUnknownSync(Schema.Tuple(Schema.String, TaskOutcome, Schema.Int))

const retryColumns: RetryColumns = {
  row: "i",
  newTaskId: "i.new_task_id",
  issuedAt: "i.claimed_at",
  endedAt: "i.ended_at"
}

/** A task of a list by status, or by outcome. */
interface ItemPlace {
  readonly engine: string
  readonly position: number
}

/** The tasks of bulk retries. */
export class BulkRetryItemsRepo extends Effect.Service<BulkRetryItemsRepo>()("svc/BulkRetryItemsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const scans = yield* Scans
    const insertColumns = Object.keys(newColumns).join(", ")
    const stored = read.literal(storedNames.map((name) => `i.${name}`).join(", "))
    const isRetried = read.literal("i.status = 'succeeded'")
    const columns = (now: Timestamp.Timestamp) =>
      read`${stored}, CASE WHEN ${isRetried} THEN ${retryOutcome(read, retryColumns, now)} END AS outcome`
    const isAfter = (place: ItemPlace | null) =>
      place === null ? read`` : read`AND (i.engine, i.position) > (${place.engine}, ${place.position})`

    const listClaimedBy = (client: SqlClient.SqlClient) => ({ id }: RequestKey) =>
      client<ClaimedItem>`SELECT i.position, i.engine, i.task_id, i.command_id, c.status AS command_status,
          c.dispatched_at, c.result, c.error
        FROM bulk_retry_items i LEFT JOIN commands c ON c.id = i.command_id
        WHERE i.request_id = ${id} AND i.status = 'claimed'`

    const addKey = ({ id, project_id }: RequestKey, records: ReadonlyArray<{ readonly position: number }>) =>
      records.map((record) => ({ ...record, project_id, request_id: id }))

    /**
     * The items with the keys of the records `r`. Each record has the whole key, and the status is an expression, because
     * SQLite otherwise reads the items first and all records for each of them: 250 ms for 500 records.
     */
    const isAmong = (status: ItemStatus) =>
      sql`bulk_retry_items.project_id = r.project_id AND bulk_retry_items.request_id = r.request_id
        AND bulk_retry_items.position = r.position AND bulk_retry_items.status || '' = ${status}`

    return {
      insert: ({ id, project_id }: RequestKey, rows: ReadonlyArray<NewItem>) =>
        sql`INSERT INTO bulk_retry_items (project_id, request_id, status, ${sql.literal(insertColumns)})
          SELECT ${project_id}, ${id}, 'pending', ${sql.literal(insertColumns)}
          FROM ${recordset(sql, "r", newColumns, rows)}`,

      /** In the order of the retries, those after the position. */
      list: ({ id, project_id }: RequestKey, after: number, limit: number, now: Timestamp.Timestamp) =>
        items(read`SELECT ${columns(now)} FROM bulk_retry_items i
          WHERE i.project_id = ${project_id} AND i.request_id = ${id} AND i.position > ${after}
          ORDER BY i.position LIMIT ${limit}`),
      /** Those of a status by engine, then in the order of the retries. */
      listByStatus: (
        { id }: RequestKey,
        status: ItemStatus,
        after: ItemPlace | null,
        limit: number,
        now: Timestamp.Timestamp
      ) =>
        items(read`SELECT ${columns(now)} FROM bulk_retry_items i
          WHERE i.request_id = ${id} AND i.status = ${status} ${isAfter(after)}
          ORDER BY i.engine, i.position LIMIT ${limit}`),
      /** Those of an outcome, as `listByStatus`. It may read every task of the request: 0.3 s for 100 000. */
      listByOutcome: (
        { id }: RequestKey,
        outcome: TaskOutcome,
        after: ItemPlace | null,
        limit: number,
        now: Timestamp.Timestamp
      ) =>
        Effect.map(
          scans.run(read`SELECT ${stored} FROM bulk_retry_items i
            WHERE i.request_id = ${id} AND ${isRetried} ${isAfter(after)}
              AND ${retryOutcome(read, retryColumns, now)} = ${outcome}
            ORDER BY i.engine, i.position LIMIT ${limit}`),
          (rows) =>
            rows.map((row) =>
              decodeItem({ ...Object.fromEntries(storedNames.map((name, index) => [name, row[index]])), outcome })
            )
        ),
      /** The outcomes of each request's retried tasks; it reads each task by its key, outside of the event loop. */
      countOutcomes: (ids: ReadonlyArray<RequestKey["id"]>, now: Timestamp.Timestamp) =>
        Effect.map(
          scans.run(read`SELECT CAST(request_id AS TEXT), outcome, CAST(COUNT(*) AS INTEGER) FROM (
              SELECT i.request_id, ${retryOutcome(read, retryColumns, now)} AS outcome FROM bulk_retry_items i
              WHERE ${idIn(read, ids, "i.request_id")} AND ${isRetried}
            ) AS retried GROUP BY request_id, outcome`),
          (rows) => {
            const counts = new Map<string, TaskOutcomes>(ids.map((id) => [id, noOutcomes]))
            for (const row of rows) {
              const [id, outcome, count] = decodeOutcomeCount(row)
              counts.set(id, { ...(counts.get(id) ?? noOutcomes), [outcome]: count })
            }
            return counts
          }
        ),

      /** The next tasks of an engine, as they are now. */
      listPending: ({ created_at, id }: BulkRetry, engine: string, limit: number) =>
        read<PendingItem>`SELECT i.position, i.engine, i.task_id, i.name, i.state, t.state AS current_state,
            t.name AS current_name, w.agent_id AS reporter,
            CASE WHEN EXISTS (SELECT 1 FROM task_retries r WHERE r.project_id = i.project_id AND r.engine = i.engine
              AND r.task_id = i.task_id AND r.command_id > ${Ids.minIdAt(Timestamp.toEpochMillis(created_at))})
              THEN 1 ELSE 0 END AS is_retried
          FROM bulk_retry_items i
          LEFT JOIN tasks t ON t.project_id = i.project_id AND t.engine = i.engine AND t.task_id = i.task_id
          LEFT JOIN workers w ON w.project_id = i.project_id AND w.engine = i.engine AND w.name = t.worker_name
          WHERE i.request_id = ${id} AND i.status = 'pending' AND i.engine = ${engine}
          ORDER BY i.position LIMIT ${limit}`,
      /** All commanded tasks: at most `SVC_BULK_RETRY_OPEN_COMMANDS` for each engine. */
      listClaimed: listClaimedBy(read),
      /** The same, as the current transaction sees them. */
      listClaimedWithin: listClaimedBy(sql),

      /** Marks pending tasks as commanded; returns the positions of those that were pending. */
      claim: (
        request: RequestKey,
        claims: ReadonlyArray<{ readonly position: number; readonly command_id: CommandId }>,
        now: Timestamp.Timestamp
      ) =>
        claims.length === 0 ? Effect.succeed([]) : Effect.map(
          sql<{ readonly position: number }>`UPDATE bulk_retry_items
            SET status = 'claimed', command_id = r.command_id, claimed_at = ${now}
            FROM ${recordset(sql, "r", { ...keyColumns, command_id: "uuid" }, addKey(request, claims))}
            WHERE ${isAmong("pending")} RETURNING bulk_retry_items.position`,
          (rows) => rows.map(({ position }) => position)
        ),
      /** Ends tasks that are in this status; returns to which each came. */
      end: (
        request: RequestKey,
        from: "pending" | "claimed",
        ends: ReadonlyArray<ItemEnd>,
        now: Timestamp.Timestamp
      ) =>
        ends.length === 0 ? Effect.succeed([]) : Effect.map(
          sql<{ readonly status: ItemEnd["status"] }>`UPDATE bulk_retry_items
            SET status = r.status, reason = r.reason, error = r.error, new_task_id = r.new_task_id, ended_at = ${now}
            FROM ${recordset(sql, "r", { ...keyColumns, ...endColumns }, addKey(request, ends))}
            WHERE ${isAmong(from)} RETURNING bulk_retry_items.status`,
          (rows) => rows.map(({ status }) => status)
        ),
      /** Makes commanded tasks pending again, whose commands were certainly not sent; returns how many. */
      release: ({ id, project_id }: RequestKey, commandIds: ReadonlyArray<CommandId>) =>
        commandIds.length === 0 ? Effect.succeed(0) : Effect.map(
          sql`UPDATE bulk_retry_items SET status = 'pending', command_id = NULL, claimed_at = NULL
              WHERE project_id = ${project_id} AND request_id = ${id} AND status = 'claimed'
                AND command_id IN ${sql.in(commandIds)} RETURNING position`,
          (rows) => rows.length
        )
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(Scans.layer))
}
