import type { Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { idIn } from "../kernel/sql/Dialect.ts"
import { firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"
import { Scans } from "./Scans.ts"

/** Rows of an index that are read for each side of a comparison. */
const maxRead = 10_000
/** Bytes of a task's arguments that are compared; larger ones are left out of a sample. */
const maxSampleBytes = 8192

/** What tasks are compared by. */
const ComparedRow = Schema.Struct({
  id: Schema.String,
  engine: Schema.String,
  task_id: Schema.String,
  name: Schema.String,
  queue: Schema.NullOr(Schema.String),
  worker_name: Schema.NullOr(Schema.String),
  received_at: Schema.NullOr(Timestamp),
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp),
  first_event_at: Timestamp,
  runtime_ms: Schema.NullOr(Schema.Number),
  args: Schema.NullOr(Schema.String),
  kwargs: Schema.NullOr(Schema.String)
})
export type ComparedRow = typeof ComparedRow.Type

const DeployRow = Schema.Struct({ version: Schema.String, at: Timestamp })
export type DeployRow = typeof DeployRow.Type

/** Deploys that tasks are assigned to, the newest. */
const maxDeploys = 200

const columns =
  "id, engine, task_id, name, queue, worker_name, received_at, started_at, finished_at, first_event_at, runtime_ms"

/** Which arguments are read: none where the caller may not see them, of a sample only small ones. */
export type ReadArguments = "none" | "small" | "all"

const columnsWith = (read: ReadArguments): string =>
  [
    columns,
    ...["args", "kwargs"].map((column) => {
      switch (read) {
        case "none":
          return `NULL AS ${column}`
        case "small":
          return `CASE WHEN octet_length(${column}) <= ${maxSampleBytes} THEN ${column} END AS ${column}`
        case "all":
          return column
      }
    })
  ].join(", ")

/** The wanted ids among the newest rows of an index, newest first. */
export interface NewestIds {
  readonly ids: ReadonlyArray<string>
  /** The last row that was read; null: there are no others. */
  readonly oldest: string | null
}

const firstTask = firstRowOf(ComparedRow)
const allTasks = rowsOf(ComparedRow)

/** Reads the tasks of comparisons: the newest rows of one index, and of these the ones that are wanted. */
export const makeDifferencesRepo = Effect.gen(function*() {
  const read = yield* Reader
  const scans = yield* Scans

  /** SQLite has no statistics by which it would prefer the index in whose order the rows are wanted. */
  const from = (index: string) =>
    read.onDialectOrElse({
      pg: () => read.literal("FROM tasks"),
      orElse: () => read.literal(`FROM tasks INDEXED BY ${index}`)
    })

  const newestOf = (index: string, range: ReadonlyArray<Statement.Fragment>) =>
    read`(SELECT id, name, state ${from(index)} WHERE ${read.and(range)} ORDER BY id DESC LIMIT ${maxRead}) AS newest`

  const listIds = (index: string, range: ReadonlyArray<Statement.Fragment>, wanted: Statement.Fragment) =>
    Effect.map(
      scans.run(read<object>`SELECT id, CASE WHEN ${wanted} THEN 1 ELSE 0 END AS is_wanted
        FROM ${newestOf(index, range)} ORDER BY id DESC`),
      (rows): NewestIds => ({
        ids: rows.flatMap(([id, isWanted]) => (Number(isWanted) === 1 ? [String(id)] : [])),
        oldest: rows.length < maxRead ? null : String(rows.at(-1)?.[0])
      })
    )

  const inWindow = (projectId: ProjectId, minId: string) => [read`project_id = ${projectId}`, read`id >= ${minId}`]

  return {
    listFailed: (projectId: ProjectId, name: string, minId: string) =>
      listIds("tasks_state", [...inWindow(projectId, minId), read`state = 'failure'`], read`name = ${name}`),
    listFailedOfGroup: (projectId: ProjectId, fingerprint: string, minId: string) =>
      listIds(
        "tasks_fingerprint",
        [...inWindow(projectId, minId), read`fingerprint = ${fingerprint}`],
        read`state = 'failure'`
      ),
    listSucceeded: (projectId: ProjectId, name: string, minId: string) =>
      listIds("tasks_name", [...inWindow(projectId, minId), read`name = ${name}`], read`state = 'success'`),
    /** The newest task of the name before this one that succeeded; none or one. */
    findSuccessBefore: (projectId: ProjectId, name: string, id: string) => {
      const range = [read`project_id = ${projectId}`, read`name = ${name}`, read`id < ${id}`]
      return Effect.map(
        scans.run(read<object>`SELECT id FROM ${newestOf("tasks_name", range)}
          WHERE state = 'success' ORDER BY id DESC LIMIT 1`),
        (rows) => rows.map(([id]) => String(id))
      )
    },
    listTasks: (projectId: ProjectId, ids: ReadonlyArray<string>, values: ReadArguments) =>
      allTasks(read<object>`SELECT ${read.literal(columnsWith(values))} FROM tasks
        WHERE project_id = ${projectId} AND ${idIn(read, ids)}`),
    findByKey: (projectId: ProjectId, { engine, task_id }: TaskKey, values: ReadArguments) =>
      firstTask(read<object>`SELECT ${read.literal(columnsWith(values))} FROM tasks
        WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}`),
    findNameOfGroup: (projectId: ProjectId, fingerprint: string) =>
      firstRowOf(Schema.Struct({ task_name: Schema.String }))(read<object>`SELECT task_name FROM failure_groups
        WHERE project_id = ${projectId} AND fingerprint = ${fingerprint}`),
    /** The newest first. */
    listDeploys: (projectId: ProjectId) =>
      rowsOf(DeployRow)(read<object>`SELECT version, at FROM deploys
        WHERE project_id = ${projectId} ORDER BY at DESC LIMIT ${maxDeploys}`)
  } as const
})
