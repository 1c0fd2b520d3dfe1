import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { AgentEvent } from "../src/domain/kernel/TaskEvent.ts"
import { addSeconds, now as currentTime, type Timestamp, toEpochSeconds } from "../src/domain/kernel/Timestamp.ts"
import {
  addDifference,
  type Cell,
  contributionOf,
  emptyCell,
  emptyEncodedCell,
  type EncodedCell,
  type RollupTask,
  sumNames
} from "../src/domain/tasks/Rollup/Contribution.ts"
import { addEncoded, encode } from "../src/domain/tasks/Rollup/Histogram.ts"
import * as TaskHistory from "../src/domain/tasks/TaskHistory.ts"
import { RollupMerge } from "../src/services/tasks/Rollups/Merge.ts"
import { keptDaysOf, minutesOf, type SeriesKey, seriesKinds, seriesOf } from "../src/services/tasks/Rollups/Series.ts"

/** The recordings of agents grow older than what is kept of minutes. */
export const unlimitedRollups = {
  rollupMinutesRetentionDays: 100_000,
  rollupHoursRetentionDays: 100_000,
  rollupDaysRetentionDays: 100_000
}

type Sums = Readonly<Record<string, unknown>>

const isEmpty = (cell: Cell): boolean => sumNames.every((name) => cell[name] === 0) && cell.runtimes.size === 0

const valuesOf = (cell: Cell) => ({
  ...Object.fromEntries(sumNames.map((name) => [name, cell[name]])),
  runtimes: encode(cell.runtimes),
  waits: encode(cell.waits)
})

/** Merges what is committed until nothing is left: another replica or the loop may hold the lock. */
export const mergeAll = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { merge } = yield* RollupMerge
  while ((yield* sql`SELECT id FROM rollup_deltas LIMIT 1`).length > 0) yield* merge
})

/** The rows of a project, by `level kind engine queue name bucket`, without those that are zero. */
export const readRollups = (projectId: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* mergeAll
    const rows = yield* sql<Record<string, string | number>>`
      SELECT t.*, s.kind, s.engine, s.queue, s.name FROM rollups t JOIN rollup_series s ON s.id = t.series_id
      WHERE t.project_id = ${projectId}`
    const found: Record<string, Sums> = {}
    for (const row of rows) {
      const cell = emptyCell()
      for (const name of sumNames) cell[name] = Number(row[name])
      addEncoded(cell.runtimes, String(row["runtimes"]))
      addEncoded(cell.waits, String(row["waits"]))
      const key = [row["level"], row["kind"], row["engine"], row["queue"], row["name"], row["bucket"]].join("|")
      if (!isEmpty(cell)) found[key] = valuesOf(cell)
    }
    return Object.fromEntries(Object.entries(found).sort())
  })

/** What the rows of a project's tasks add up to, in the same form. */
export const rollupsOfTasks = (projectId: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const tasks = yield* sql<RollupTask & { engine: string; history: string }>`
      SELECT * FROM tasks WHERE project_id = ${projectId}`
    const now = Math.floor(toEpochSeconds(yield* currentTime) / 60)
    const cells = new Map<string, Cell>()
    for (const task of tasks) {
      const one = contributionOf(task, TaskHistory.analyse(TaskHistory.decode(task.history)))
      const changes: Array<readonly [SeriesKey, string, EncodedCell]> = []
      const changeOf = (key: SeriesKey) => (at: string): EncodedCell => {
        const change = emptyEncodedCell()
        changes.push([key, at.slice(0, 16), change])
        return change
      }
      const { engine } = task
      const workerKey = { project_id: projectId, kind: seriesKinds.worker, engine, queue: "" }
      addDifference(
        changeOf({ project_id: projectId, kind: seriesKinds.task, engine, name: one.name, queue: one.queue }),
        (worker, at) => changeOf({ ...workerKey, name: worker })(at),
        one,
        null,
        1
      )
      for (const [key, text, change] of changes) {
        const minute = Date.parse(`${text}Z`) / 60_000
        for (const series of seriesOf(key)) {
          for (const { days, level } of keptDaysOf(series.kind, unlimitedRollups)) {
            const bucket = Math.floor(minute / minutesOf[level]) * minutesOf[level]
            if (bucket < now - days * 1440) continue
            const key = [level, series.kind, series.engine, series.queue, series.name, bucket].join("|")
            const sum = cells.get(key) ?? emptyCell()
            cells.set(key, sum)
            for (const name of sumNames) sum[name] += change[name]
            addEncoded(sum.runtimes, change.runtimes)
            addEncoded(sum.waits, change.waits)
          }
        }
      }
    }
    return Object.fromEntries([...cells].map(([key, cell]) => [key, valuesOf(cell)] as const).sort())
  })

/** The events of one task. `received` is a moment; the task starts `waitMillis` later and runs for `runtimeMillis`. */
export const taskEvents = (task: {
  readonly name: string
  readonly received: Timestamp
  readonly queue?: string
  readonly engine?: string
  readonly outcome?: "succeeded" | "failed"
  readonly waitMillis?: number
  readonly runtimeMillis?: number
  readonly worker?: string
}): ReadonlyArray<AgentEvent> => {
  const { engine = "celery", outcome = "succeeded", queue = "celery", runtimeMillis = 100, waitMillis = 10 } = task
  const worker = JSON.stringify(task.worker ?? "celery@box")
  const taskId = randomUUID()
  const event = (kind: AgentEvent["kind"], millis: number, data: Record<string, string> = {}): AgentEvent => ({
    id: randomUUID(),
    kind,
    engine,
    taskId,
    occurredAt: addSeconds(task.received, millis / 1000),
    data: new Map(Object.entries({
      task_name: JSON.stringify(task.name),
      queue: JSON.stringify(queue),
      ...(kind === "task.received" ? {} : { worker }),
      ...data
    }))
  })
  return [
    event("task.received", 0),
    event("task.started", waitMillis),
    event(
      `task.${outcome}`,
      waitMillis + runtimeMillis,
      outcome === "failed" ? { exception: "\"ValueError\"" } : { result: "null" }
    )
  ]
}
