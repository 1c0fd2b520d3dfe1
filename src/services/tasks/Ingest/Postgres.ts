import type { SqlClient, SqlError } from "@effect/sql"
import { Effect } from "effect"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { ProjectTaskKey, StoredTask, TaskRecord } from "../../../domain/tasks/Fold.ts"
import { recordColumns } from "../../kernel/sql/Recordset.ts"
import { postgresTexts } from "../Failures/GroupSql.ts"
import { postgresMarkTexts } from "../Failures/RetryMarks.ts"
import { mutableColumns, storedTaskColumns, TASK_COLUMNS, taskColumns } from "./Columns.ts"
import type { TaskGroup } from "./Grouping.ts"
import { taskKeyText } from "./TaskCache.ts"
import type { TransactionTotals } from "./TransactionTotals.ts"
import { countsUpsert, facetsUpsert, queuesUpsert, workersUpsert } from "./Upserts.ts"

/** Many rows as one JSON parameter (`services/kernel/sql/Recordset.ts`), for the driver: `$1` is the table `r`. */
const recordset = (columns: Readonly<Record<string, string>>): string =>
  `json_to_recordset($1::json) AS ${recordColumns("r", columns)}`

const selectColumns = ["project_id", "engine", "task_id", ...storedTaskColumns].map((column) => `t.${column}`)

const selectText = `SELECT ${selectColumns.join(", ")} FROM ${
  recordset({ project_id: "uuid", engine: "text", task_id: "text" })
}
  JOIN tasks t ON t.project_id = r.project_id AND t.engine = r.engine AND t.task_id = r.task_id`

const insertColumns = taskColumns.join(", ")

const insertText = `INSERT INTO tasks (${insertColumns}) SELECT ${insertColumns} FROM ${recordset(TASK_COLUMNS)}
  ON CONFLICT (project_id, engine, task_id) DO NOTHING RETURNING id`

/**
 * The rows are in the order of their keys and are looked up one by one, so that all replicas lock them in one order.
 */
const updateText = `UPDATE tasks t SET ${mutableColumns.map((column) => `${column} = r.${column}`).join(", ")}
  FROM ${recordset(TASK_COLUMNS)}
  WHERE t.project_id = r.project_id AND t.engine = r.engine AND t.task_id = r.task_id
    AND t.id = r.id AND t.revision = r.revision - 1
  RETURNING t.id`

const countsText = countsUpsert(
  `SELECT project_id, state, $2::integer, tasks FROM ${
    recordset({ project_id: "uuid", state: "text", tasks: "bigint" })
  }`
)

const facetsText = facetsUpsert(
  `SELECT project_id, facet, value, $2 FROM ${recordset({ project_id: "uuid", facet: "text", value: "text" })}`
)

const workersText = workersUpsert(
  `SELECT r.id, p.id, r.engine, r.name, r.hostname, r.pid, '[]', r.state, r.last_heartbeat, 0,
    r.processed, r.failed, r.succeeded, r.retried, '{}', a.id, $2, $2
  FROM ${
    recordset({
      id: "uuid",
      project_id: "uuid",
      engine: "text",
      name: "text",
      hostname: "text",
      pid: "integer",
      agent_id: "uuid",
      state: "text",
      last_heartbeat: "text",
      processed: "bigint",
      failed: "bigint",
      succeeded: "bigint",
      retried: "bigint"
    })
  } JOIN projects p ON p.id = r.project_id LEFT JOIN agents a ON a.id = r.agent_id`,
  "greatest"
)

const queuesText = queuesUpsert(
  `SELECT r.id, p.id, r.engine, r.name, r.depth, r.last_seen_at, $2, r.low_window, r.depth
  FROM ${
    recordset({
      id: "uuid",
      project_id: "uuid",
      engine: "text",
      name: "text",
      depth: "bigint",
      last_seen_at: "text",
      low_window: "bigint"
    })
  } JOIN projects p ON p.id = r.project_id`,
  "greatest"
)

const offlineReportsText = `UPDATE workers w SET state = 'offline', last_heartbeat = r.last_heartbeat, updated_at = $2
  FROM ${recordset({ project_id: "uuid", name: "text", last_heartbeat: "text" })}
  WHERE w.project_id = r.project_id AND w.name = r.name AND coalesce(w.last_heartbeat, '') <= r.last_heartbeat`

/** The writer's statements on PostgreSQL: one per table, whatever the number of rows. */
export const makePostgresTasks = (sql: SqlClient.SqlClient) => {
  const run = <A extends object>(
    text: string,
    rows: ReadonlyArray<object>,
    ...more: ReadonlyArray<string | number>
  ): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> =>
    rows.length === 0 ? Effect.succeed([]) : sql.unsafe<A>(text, [JSON.stringify(rows), ...more])

  const ids = Effect.map((rows: ReadonlyArray<{ readonly id: string }>): ReadonlySet<string> =>
    new Set(rows.map(({ id }) => id))
  )

  return {
    /** The stored tasks of these groups, by `taskKeyText`. */
    read: (groups: ReadonlyArray<TaskGroup>): Effect.Effect<ReadonlyMap<string, StoredTask>, SqlError.SqlError> => {
      const keys = groups.map(({ engine, project_id, task_id }): ProjectTaskKey => ({ engine, project_id, task_id }))
      return Effect.map(
        run<StoredTask & ProjectTaskKey>(selectText, keys),
        (rows) => new Map(rows.map((row) => [taskKeyText(row.project_id, row.engine, row.task_id), row]))
      )
    },

    /** Inserts the rows of new tasks; returns the ids of the inserted rows. */
    insert: (rows: ReadonlyArray<TaskRecord>) => ids(run<{ readonly id: string }>(insertText, rows)),

    /** Replaces the rows whose stored revision is the previous one; returns the ids of the replaced rows. */
    update: (rows: ReadonlyArray<TaskRecord>) => ids(run<{ readonly id: string }>(updateText, rows)),

    writeTotals: (
      { counts, facets, failures, offlineReports, queues, retries, rollups, workers }: TransactionTotals,
      slot: number,
      at: Timestamp
    ) =>
      Effect.all([
        run(facetsText, facets, at),
        run(countsText, counts, slot),
        run(workersText, workers, at),
        run(queuesText, queues, at),
        run(offlineReportsText, offlineReports, at),
        run(postgresTexts.groups, failures.groups),
        run(postgresTexts.counts, failures.counts),
        run(postgresMarkTexts.changedTasks, retries.changedTasks, at),
        run(postgresMarkTexts.createdTasks, retries.createdTasks, at),
        rollups === null ? Effect.void : sql.unsafe("INSERT INTO rollup_deltas (payload) VALUES ($1)", [rollups])
      ], { discard: true })
  } as const
}
