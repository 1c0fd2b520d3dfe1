import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { ProjectTaskKey, StoredTask, TaskRecord } from "../../../domain/tasks/Fold.ts"
import type { SqliteConnection, SqliteStatement } from "../../../sqlite/Connection.ts"
import { sqliteTexts } from "../Failures/GroupSql.ts"
import { sqliteMarkTexts } from "../Failures/RetryMarks.ts"
import { mutableColumns, storedTaskColumns, type TaskColumn, taskColumns } from "./Columns.ts"
import { fold, type FoldedGroup } from "./Fold.ts"
import type { TaskGroup } from "./Grouping.ts"
import type { TaskCache } from "./TaskCache.ts"
import type { TransactionTotals } from "./TransactionTotals.ts"
import { countsUpsert, facetsUpsert, queuesUpsert, workersUpsert } from "./Upserts.ts"

/**
 * The writer's statements on SQLite, each prepared once. Called inside one immediate transaction: no other connection
 * writes until it ends, so what was read stays valid.
 */
export class SqliteTasks {
  private readonly select: SqliteStatement<[string, string, string], StoredTask>
  private readonly insert: SqliteStatement<Array<TaskRecord[TaskColumn]>>
  private readonly updates = new Map<number, (row: TaskRecord, revision: number) => boolean>()

  constructor(private readonly db: SqliteConnection) {
    this.select = db.prepare<[string, string, string], StoredTask>(
      `SELECT ${storedTaskColumns.join(", ")} FROM tasks WHERE project_id = ? AND engine = ? AND task_id = ?`
    )
    this.insert = db.prepare<Array<TaskRecord[TaskColumn]>>(
      `INSERT INTO tasks (${taskColumns.join(", ")}) VALUES (${taskColumns.map(() => "?").join(", ")})
       ON CONFLICT DO NOTHING`
    )
  }

  /** Folds the group into its task and writes the row; null when its events add nothing. */
  write(group: TaskGroup, cache: TaskCache, at: Timestamp): FoldedGroup | null {
    const known = cache.get(group.key)
    if (known === undefined && group.mayCreateTask) {
      // probably new; a conflict of the insert shows the opposite
      const folded = fold(undefined, group, at)
      if (folded === null || this.tryInsert(folded.row)) return folded
      return this.writeStored(group, at)
    }
    if (known === undefined) return this.writeStored(group, at)
    const folded = fold(known, group, at)
    if (folded === null || this.tryUpdate(known, folded.row)) return folded
    return this.writeStored(group, at)
  }

  /** Writes the group onto the row in the table instead of the cached one. */
  private writeStored(group: TaskGroup, at: Timestamp): FoldedGroup | null {
    const known = this.read(group)
    const folded = fold(known, group, at)
    if (folded === null) return null
    const written = known === undefined ? this.tryInsert(folded.row) : this.tryUpdate(known, folded.row)
    if (!written) throw new Error("a task changed inside a transaction of its only writer")
    return folded
  }

  private read({ engine, project_id, task_id }: ProjectTaskKey): StoredTask | undefined {
    return this.select.get(project_id, engine, task_id)
  }

  private tryInsert(row: TaskRecord): boolean {
    return this.insert.run(...valuesOf(row)).changes === 1
  }

  private tryUpdate(known: StoredTask, row: TaskRecord): boolean {
    const changes = changedIndexes(known, row)
    let update = this.updates.get(changes)
    if (update === undefined) {
      update = this.prepareUpdate(changes)
      this.updates.set(changes, update)
    }
    return update(row, known.revision)
  }

  /** Leaves unchanged indexed columns out: SQLite writes every index of a column in the SET list, changed or not. */
  private prepareUpdate(changes: number): (row: TaskRecord, revision: number) => boolean {
    const unchanged = new Set(INDEXED_COLUMNS.flatMap((columns, bit) => (changes & (1 << bit)) === 0 ? columns : []))
    const columns = mutableColumns.filter((column) => !unchanged.has(column))
    const statement = this.db.prepare<Array<TaskRecord[TaskColumn]>>(
      `UPDATE tasks SET ${columns.map((column) => `${column} = ?`).join(", ")}
       WHERE project_id = ? AND engine = ? AND task_id = ? AND id = ? AND revision = ?`
    )
    return (row, revision) =>
      statement.run(
        ...columns.map((column) => row[column]),
        row.project_id,
        row.engine,
        row.task_id,
        row.id,
        revision
      ).changes === 1
  }
}

/** In the order of `taskColumns`. Written out: a lookup of each by name costs as much as the update of an index. */
const valuesOf = (row: TaskRecord): Array<TaskRecord[TaskColumn]> => [
  row.id,
  row.project_id,
  row.engine,
  row.task_id,
  row.name,
  row.queue,
  row.state,
  row.priority,
  row.args,
  row.kwargs,
  row.result,
  row.exception,
  row.traceback,
  row.retry_count,
  row.eta,
  row.received_at,
  row.started_at,
  row.finished_at,
  row.runtime_ms,
  row.worker_name,
  row.parent_task_id,
  row.root_task_id,
  row.tags,
  row.fingerprint,
  row.first_event_at,
  row.history,
  row.revision,
  row.created_at,
  row.updated_at
]

/** Indexed columns that seldom change; each list is one bit. `updated_at` is indexed too, and always changes. */
const INDEXED_COLUMNS: ReadonlyArray<ReadonlyArray<TaskColumn>> = [
  ["state"],
  ["name"],
  ["queue"],
  ["worker_name"],
  ["root_task_id"],
  ["received_at", "first_event_at"],
  ["fingerprint"]
]

const changedIndexes = (known: StoredTask, row: TaskRecord): number =>
  (known.state === row.state ? 0 : 1) |
  (known.name === row.name ? 0 : 2) |
  (known.queue === row.queue ? 0 : 4) |
  (known.worker_name === row.worker_name ? 0 : 8) |
  (known.root_task_id === row.root_task_id ? 0 : 16) |
  (known.received_at === row.received_at && known.first_event_at === row.first_event_at ? 0 : 32) |
  (known.fingerprint === row.fingerprint ? 0 : 64)

/** Writes the totals of a transaction, inside the transaction. */
export class SqliteTotals {
  private readonly count: SqliteStatement
  private readonly facet: SqliteStatement
  private readonly worker: SqliteStatement
  private readonly queue: SqliteStatement
  private readonly offlineReport: SqliteStatement
  private readonly failureGroups: SqliteStatement<[string]>
  private readonly failureCounts: SqliteStatement<[string]>
  private readonly changedRetry: SqliteStatement
  private readonly createdRetry: SqliteStatement
  private readonly rollupDelta: SqliteStatement<[string]>

  constructor(db: SqliteConnection) {
    this.count = db.prepare(countsUpsert("VALUES (@project_id, @state, @slot, @tasks)"))
    this.facet = db.prepare(facetsUpsert("VALUES (@project_id, @facet, @value, @at)"))
    this.worker = db.prepare(workersUpsert(
      `SELECT @id, projects.id, @engine, @name, @hostname, @pid, '[]', @state, @last_heartbeat, 0, @processed,
         @failed, @succeeded, @retried, '{}', (SELECT id FROM agents WHERE id = @agent_id), @at, @at
       FROM projects WHERE projects.id = @project_id`,
      "max"
    ))
    this.queue = db.prepare(queuesUpsert(
      `SELECT @id, projects.id, @engine, @name, @depth, @last_seen_at, @at, @low_window, @depth
       FROM projects WHERE projects.id = @project_id`,
      "max"
    ))
    this.offlineReport = db.prepare(
      `UPDATE workers SET state = 'offline', last_heartbeat = @last_heartbeat, updated_at = @at
       WHERE project_id = @project_id AND name = @name AND coalesce(last_heartbeat, '') <= @last_heartbeat`
    )
    this.failureGroups = db.prepare<[string]>(sqliteTexts.groups)
    this.failureCounts = db.prepare<[string]>(sqliteTexts.counts)
    this.changedRetry = db.prepare(sqliteMarkTexts.changedTasks)
    this.createdRetry = db.prepare(sqliteMarkTexts.createdTasks)
    this.rollupDelta = db.prepare<[string]>("INSERT INTO rollup_deltas (payload) VALUES (?)")
  }

  write(
    { counts, facets, failures, offlineReports, queues, retries, rollups, workers }: TransactionTotals,
    slot: number,
    at: Timestamp
  ): void {
    for (const row of counts) this.count.run({ ...row, slot })
    for (const row of facets) this.facet.run({ ...row, at })
    for (const row of workers) this.worker.run({ ...row, at })
    for (const row of queues) this.queue.run({ ...row, at })
    for (const row of offlineReports) this.offlineReport.run({ ...row, at })
    if (failures.groups.length > 0) this.failureGroups.run(JSON.stringify(failures.groups))
    if (failures.counts.length > 0) this.failureCounts.run(JSON.stringify(failures.counts))
    for (const task of retries.changedTasks) this.changedRetry.run({ ...task, at })
    for (const task of retries.createdTasks) this.createdRetry.run({ ...task, at })
    if (rollups !== null) this.rollupDelta.run(rollups)
  }
}
