/**
 * Stores what tasks say while they run: log lines and progress. Also of a task that is not known (yet): the rows have the
 * key of the task and not its row. A transaction without such events runs no statement of these.
 */
import type { SqlClient, SqlError } from "@effect/sql"
import { Effect } from "effect"
import { asInt, asString, canonicalTextOf, JsonArray, JsonObject, parse } from "../../../domain/kernel/CanonicalJson.ts"
import { addSeconds, type Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { ProjectTaskKey } from "../../../domain/tasks/Fold.ts"
import { leftOutNote } from "../../../domain/tasks/LeftOut.ts"
import {
  fitsIntoLog,
  isLogLevel,
  type LogLevel,
  MAX_EVENT_LINES,
  MAX_FIELDS_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_PROGRESS_BYTES,
  truncateText
} from "../../../domain/tasks/TaskOutput.ts"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"
import { recordColumns } from "../../kernel/sql/Recordset.ts"
import { keyOrder } from "../WriteOrder.ts"
import type { PendingOutput, TaskGroup } from "./Grouping.ts"
import { taskKeyText } from "./TaskCache.ts"

/** A line as `task_log_chunks` keeps it. `fields` is JSON text, so that numbers keep their digits. */
export interface StoredLine {
  readonly at: string
  readonly level: LogLevel
  readonly attempt: number | null
  readonly message: string
  readonly fields: string | null
}

/** A row of `task_outputs`. `progress` is JSON text. */
interface OutputRow extends ProjectTaskKey {
  readonly lines: number
  readonly bytes: number
  readonly dropped: number
  readonly progress: string | null
  readonly progress_at: string | null
}

/** The lines of one event, which is stored once however often it is sent. */
interface ChunkKey extends ProjectTaskKey {
  readonly event_id: string
}

interface ChunkRow extends ChunkKey {
  readonly last_seq: number
  readonly lines: string
}

const longestOffsetMillis = 86_400_000

const fieldsOf = (event: PendingOutput): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  event.data.forEach((json, field) => void fields.set(field, json))
  return fields
}

const countOf = (json: string | undefined): number => Math.max(0, asInt(json) ?? 0)

const readLine = (node: unknown, { occurredAt }: PendingOutput, attempt: number | null): StoredLine | null => {
  if (!(node instanceof JsonObject)) return null
  const message = node.get("message")
  if (message === undefined) return null
  const level = asString(node.get("level")) ?? ""
  const fields = node.get("fields")
  const fieldsText = fields === undefined ? "null" : canonicalTextOf(fields)
  const offset = Math.min(longestOffsetMillis, countOf(canonicalTextOf(node.get("after_ms") ?? "0")))
  return {
    at: addSeconds(occurredAt, offset / 1000),
    level: isLogLevel(level) ? level : "info",
    attempt,
    message: truncateText(asString(message) ?? canonicalTextOf(message), MAX_MESSAGE_BYTES),
    fields: fieldsText === "null"
      ? null
      : Buffer.byteLength(fieldsText) <= MAX_FIELDS_BYTES
      ? fieldsText
      : JSON.stringify(leftOutNote(`more than ${MAX_FIELDS_BYTES} bytes`))
  }
}

/** The lines of an event of the kind `task.log`, and how many are missing; null where it has none of either. */
const readLog = (event: PendingOutput) => {
  const fields = fieldsOf(event)
  const attempt = asInt(fields.get("attempt")) ?? null
  const list = parse(fields.get("lines") ?? "[]")
  const items = list instanceof JsonArray ? list.items : []
  const lines = items.slice(0, MAX_EVENT_LINES).flatMap((item) => readLine(item, event, attempt) ?? [])
  const dropped = Math.min(countOf(fields.get("dropped")), 1_000_000_000) + items.length - lines.length
  return lines.length === 0 && dropped === 0 ? null : { lines, dropped }
}

const readProgress = (event: PendingOutput): string | null => {
  const text = fieldsOf(event).get("progress")
  return text === undefined || Buffer.byteLength(text) <= MAX_PROGRESS_BYTES
    ? text ?? null
    : JSON.stringify(leftOutNote(`more than ${MAX_PROGRESS_BYTES} bytes`))
}

const bytesOf = ({ fields, message }: StoredLine): number =>
  Buffer.byteLength(message) + (fields === null ? 0 : Buffer.byteLength(fields))

/** The row after the event, and the chunk of its lines. */
const addEvent = (row: OutputRow, event: PendingOutput): { readonly row: OutputRow; readonly chunk?: ChunkRow } => {
  if (event.kind === "task.progress") {
    const progress = readProgress(event)
    if (progress === null) event.refusal = "no progress"
    const isNewer = progress !== null && (row.progress_at === null || event.occurredAt >= row.progress_at)
    return { row: isNewer ? { ...row, progress, progress_at: event.occurredAt } : row }
  }
  const log = readLog(event)
  if (log === null) {
    event.refusal = "no lines"
    return { row }
  }
  let { bytes, dropped, lines } = row
  dropped += log.dropped
  const kept = log.lines.filter((line) => {
    const size = bytesOf(line)
    const fits = fitsIntoLog({ lines, bytes }, line.level, size)
    if (fits) [lines, bytes] = [lines + 1, bytes + size]
    else dropped++
    return fits
  })
  const { engine, project_id, task_id } = row
  const next = { ...row, lines, bytes, dropped }
  // a task has at most as many chunks as lines, so one without lines is not stored: sent again, its drops count again
  if (kept.length === 0) return { row: next }
  const chunk = { project_id, engine, task_id, event_id: event.id, last_seq: lines, lines: JSON.stringify(kept) }
  return { row: next, chunk }
}

const keyOf = ({ engine, projectId, taskId }: PendingOutput): ProjectTaskKey => ({
  project_id: projectId,
  engine,
  task_id: taskId
})

const keyText = ({ engine, project_id, task_id }: ProjectTaskKey): string => taskKeyText(project_id, engine, task_id)

/** The keys of the events' tasks, sorted: all replicas lock their outputs in one order. */
const keysOf = (events: ReadonlyArray<PendingOutput>): ReadonlyArray<ProjectTaskKey> => {
  const byText = new Map(events.map((event) => [keyText(keyOf(event)), keyOf(event)]))
  return [...byText].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, key]) => key)
}

/** What the events make of the stored rows. Lines of an event that `isStored` are not stored again. */
const applyEvents = (
  events: ReadonlyArray<PendingOutput>,
  stored: ReadonlyArray<OutputRow>,
  isStored: (key: ChunkKey) => boolean
) => {
  const rows = new Map(stored.map((row) => [keyText(row), row]))
  const chunks = new Map<string, ChunkRow>()
  for (const event of events) {
    const key = keyOf(event)
    const row = rows.get(keyText(key))
    if (row === undefined || chunks.has(event.id) || isStored({ ...key, event_id: event.id })) continue
    const added = addEvent(row, event)
    rows.set(keyText(key), added.row)
    if (added.chunk !== undefined) chunks.set(event.id, added.chunk)
  }
  return { rows: [...rows.values()], chunks: [...chunks.values()] }
}

const sameTask = (left: string, right: string): string =>
  ["project_id", "engine", "task_id"].map((column) => `${left}.${column} = ${right}.${column}`).join(" AND ")

// a changed task is in the live stream, and is kept for as long as one that runs
const touchSet = "UPDATE tasks SET updated_at ="

/** Creates or locks the rows. */
const lockText = (rows: string): string =>
  `INSERT INTO task_outputs (project_id, engine, task_id, lines, bytes, dropped, updated_at) ${rows}
  ON CONFLICT (project_id, engine, task_id) DO UPDATE SET updated_at = excluded.updated_at
  RETURNING project_id, engine, task_id, lines, bytes, dropped, progress, progress_at`

const chunkText = (rows: string): string =>
  `INSERT INTO task_log_chunks (project_id, engine, task_id, event_id, last_seq, lines) ${rows}`

const valuesSet = (source: string): string =>
  ["lines", "bytes", "dropped", "progress", "progress_at"].map((column) => `${column} = ${source}${column}`).join(", ")

const whereNamed = "project_id = @project_id AND engine = @engine AND task_id = @task_id"

/** The statements on SQLite, each prepared once. Called inside the writer's transaction, after the tasks. */
export const makeSqliteOutputs = (db: SqliteConnection) => {
  const touch = db.prepare(`${touchSet} @at WHERE ${whereNamed}`)
  const lock = db.prepare<[object], OutputRow>(lockText("VALUES (@project_id, @engine, @task_id, 0, 0, 0, @at)"))
  const findChunk = db.prepare<[ChunkKey]>(
    `SELECT 1 FROM task_log_chunks WHERE ${whereNamed} AND event_id = @event_id`
  )
  const insertChunk = db.prepare<[ChunkRow]>(
    chunkText("VALUES (@project_id, @engine, @task_id, @event_id, @last_seq, @lines)")
  )
  const update = db.prepare<[OutputRow]>(`UPDATE task_outputs SET ${valuesSet("@")} WHERE ${whereNamed}`)
  return (events: ReadonlyArray<PendingOutput>, at: Timestamp): void => {
    const stored = keysOf(events).flatMap((key) => {
      touch.run({ ...key, at })
      return lock.get({ ...key, at }) ?? []
    })
    const { chunks, rows } = applyEvents(events, stored, (key) => findChunk.get(key) !== undefined)
    for (const chunk of chunks) insertChunk.run(chunk)
    for (const row of rows) update.run(row)
  }
}

const keyColumns = { project_id: "uuid", engine: "text", task_id: "text" }
const recordset = (columns: Readonly<Record<string, string>>): string =>
  `json_to_recordset($1::json) AS ${recordColumns("r", { ...keyColumns, ...columns })}`

const postgresTexts = {
  lockTasks: `SELECT 1 FROM ${recordset({})} JOIN tasks t ON ${sameTask("t", "r")}
    ORDER BY t.project_id, ${keyOrder("t.")} FOR NO KEY UPDATE OF t`,
  touch: `${touchSet} $2 FROM ${recordset({})} WHERE ${sameTask("tasks", "r")}`,
  lock: lockText(`SELECT project_id, engine, task_id, 0, 0, 0, $2 FROM ${recordset({})}`),
  findChunks: `SELECT c.project_id, c.engine, c.task_id, c.event_id FROM ${recordset({ event_id: "uuid" })}
    JOIN task_log_chunks c ON ${sameTask("c", "r")} AND c.event_id = r.event_id`,
  insertChunks: chunkText(
    `SELECT project_id, engine, task_id, event_id, last_seq, lines FROM ${
      recordset({ event_id: "uuid", last_seq: "integer", lines: "text" })
    }`
  ),
  update: `UPDATE task_outputs o SET ${valuesSet("r.")} FROM ${
    recordset({ lines: "integer", bytes: "integer", dropped: "bigint", progress: "text", progress_at: "text" })
  } WHERE ${sameTask("o", "r")}`
}

/**
 * Locks the tasks of a transaction with outputs in one order, on PostgreSQL: it writes those of the groups first, and then
 * those of the outputs.
 */
export const makeLockTasks = (sql: SqlClient.SqlClient) =>
(
  groups: ReadonlyArray<TaskGroup>,
  outputs: ReadonlyArray<PendingOutput>
): Effect.Effect<unknown, SqlError.SqlError> => {
  const keys = [
    ...groups.map(({ engine, project_id, task_id }): ProjectTaskKey => ({ project_id, engine, task_id })),
    ...keysOf(outputs)
  ]
  return sql.unsafe(postgresTexts.lockTasks, [JSON.stringify(keys)])
}

/** As `makeSqliteOutputs`, on PostgreSQL: the rows of all tasks in each statement. */
export const makePostgresOutputs = (sql: SqlClient.SqlClient) => {
  const chunkKeyText = ({ event_id, ...key }: ChunkKey) => `${keyText(key)} ${event_id}`
  return (events: ReadonlyArray<PendingOutput>, at: Timestamp): Effect.Effect<void, SqlError.SqlError> =>
    Effect.gen(function*() {
      const keys = JSON.stringify(keysOf(events))
      yield* sql.unsafe(postgresTexts.touch, [keys, at])
      const locked = yield* sql.unsafe<OutputRow>(postgresTexts.lock, [keys, at])
      const ids = events.map((event): ChunkKey => ({ ...keyOf(event), event_id: event.id }))
      const found = yield* sql.unsafe<ChunkKey>(postgresTexts.findChunks, [JSON.stringify(ids)])
      const known = new Set(found.map(chunkKeyText))
      const { chunks, rows } = applyEvents(events, locked, (key) => known.has(chunkKeyText(key)))
      if (chunks.length > 0) yield* sql.unsafe(postgresTexts.insertChunks, [JSON.stringify(chunks)])
      yield* sql.unsafe(postgresTexts.update, [JSON.stringify(rows)])
    })
}
