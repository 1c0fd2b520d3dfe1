import { Effect } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import { taskFields } from "../../domain/tasks/Task.ts"
import type { TaskRow } from "../../domain/tasks/Task/Json.ts"
import { isAtLeast, type ListLogs, MAX_TASK_LINES, writeProgress } from "../../domain/tasks/TaskOutput.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import type { StoredLine } from "./Ingest/Outputs.ts"

/** A part of a log (`TaskLogs`); the items are JSON text. */
export interface LogPage {
  readonly items: ReadonlyArray<string>
  readonly next_after: number
  readonly has_more: boolean
  readonly line_count: number
  readonly dropped_count: number
}

interface NumberedLine extends StoredLine {
  readonly seq: number
}

const writeLine = ({ at, attempt, fields, level, message, seq }: NumberedLine): string =>
  `{"seq":${seq},"at":"${at}","level":"${level}","attempt":${attempt},"message":${JSON.stringify(message)},"fields":${
    fields ?? "null"
  }}`

const matches = ({ level, search }: ListLogs) => {
  const text = search?.toLowerCase()
  return (line: StoredLine): boolean =>
    (level === undefined || isAtLeast(line.level, level)) &&
    (text === undefined || line.message.toLowerCase().includes(text) ||
      (line.fields?.toLowerCase().includes(text) ?? false))
}

const stateAt = taskFields.indexOf("state")
const startedAt = taskFields.indexOf("started_at")
const engineAt = taskFields.indexOf("engine")
const taskIdAt = taskFields.indexOf("task_id")

/** Where the progress of a listed task is in its row, as JSON text: after the cells of `taskFields`. */
export const progressAt = taskFields.length

/** Of a row `o` of `task_outputs`, whether its progress is from the current run of the task `t`. */
export const isOfCurrentRun = "o.progress_at >= t.started_at"

/** Reads what tasks say while they run (`Ingest/Outputs.ts` writes it). */
export const makeTaskOutputs = Effect.gen(function*() {
  const sql = yield* Reader

  /**
   * The rows with the progress of those that run, as one more cell. A page without a running task costs no statement.
   */
  const addProgress = Effect.fnUntraced(
    function*(projectId: ProjectId, rows: ReadonlyArray<TaskRow>, isValueShown: boolean) {
      const running = rows.filter((row) => row[stateAt] === "started")
      if (running.length === 0) return rows
      const keys = running.map((row) => ({
        engine: row[engineAt],
        task_id: row[taskIdAt],
        started_at: row[startedAt]
      }))
      const found = yield* sql<TaskKey & { readonly progress: string; readonly progress_at: string }>`
        SELECT o.engine, o.task_id, o.progress, o.progress_at
        FROM ${recordset(sql, "t", { engine: "text", task_id: "text", started_at: "text" }, keys)}
        JOIN task_outputs o ON o.project_id = ${projectId} AND o.engine = t.engine AND o.task_id = t.task_id
        WHERE ${sql.literal(isOfCurrentRun)}`
      if (found.length === 0) return rows
      const keyText = (engine: unknown, taskId: unknown) => JSON.stringify([engine, taskId])
      const byKey = new Map(found.map((row) => [keyText(row.engine, row.task_id), row]))
      return rows.map((row): TaskRow => {
        const output = row[stateAt] === "started" ? byKey.get(keyText(row[engineAt], row[taskIdAt])) : undefined
        return output === undefined ? row : [...row, writeProgress(output.progress, output.progress_at, isValueShown)]
      })
    }
  )

  /** The lines of the task's log after `after` that match. A log has at most a thousand lines: they are read at once. */
  const listLogs = Effect.fnUntraced(function*(projectId: ProjectId, { engine, task_id }: TaskKey, query: ListLogs) {
    const { after = 0, limit = MAX_TASK_LINES } = query
    const [totals] = yield* sql<{ lines: number; dropped: number }>`
      SELECT lines, dropped FROM task_outputs
      WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}`
    const chunks = yield* sql<{ last_seq: number; lines: string }>`
      SELECT last_seq, lines FROM task_log_chunks
      WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id} AND last_seq > ${after}
      ORDER BY last_seq`
    const lines = chunks.flatMap(({ last_seq, lines }) => {
      const stored: ReadonlyArray<StoredLine> = JSON.parse(lines) // as the ingest wrote them
      return stored.map((line, index) => ({ ...line, seq: last_seq - stored.length + 1 + index }))
    }).filter(({ seq }) => seq > after)
    const found = lines.filter(matches(query))
    const items = found.slice(0, limit)
    const hasMore = found.length > items.length
    return {
      items: items.map(writeLine),
      next_after: (hasMore ? items.at(-1) : lines.at(-1))?.seq ?? after,
      has_more: hasMore,
      line_count: totals?.lines ?? 0,
      dropped_count: Number(totals?.dropped ?? 0)
    } satisfies LogPage
  })

  return { addProgress, listLogs } as const
})
