import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { endOf, type RetryCommand } from "../../../domain/commands/BulkRetry/Outcome.ts"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { deleteInSlices, forUpdate, idIn } from "../../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, hasRows, rowsOf } from "../../kernel/sql/Rows.ts"
import { BulkRetry, BulkRow, BulkWalk } from "./Row.ts"

type JobKey = Pick<BulkRow, "id" | "project_id">
type EndedCommand = Pick<RetryCommand, "command_status" | "dispatched_at" | "result">

const activeRows = rowsOf(BulkRow)
const activeRow = firstRowOf(BulkRow)
const allKeys = rowsOf(Schema.Union(BulkRetry.pick("id", "project_id"), BulkWalk.pick("id", "project_id")))
const firstRetry = firstRowOf(BulkRetry)
const engineNames = rowsOf(Schema.Struct({ engine: Schema.String }))
const engineCounts = rowsOf(Schema.Struct({ engine: Schema.String, open: Schema.Int, ended: Schema.Int }))

interface TaskToCancel {
  readonly engine: string
  readonly task_id: string
  /** The agent that reported the task's worker; null: none is known. */
  readonly reporter: AgentId | null
}

/** What a command's end means for the count of a job that does not repeat commands. */
const toOutcome = (command: EndedCommand) => {
  const end = endOf(command)
  return end === "succeeded" || end === "unknown" ? end : "failed"
}

/** The table `bulk_jobs`. */
export class BulkJobsRepo extends Effect.Service<BulkJobsRepo>()("svc/BulkJobsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const isOpen = sql.literal("resolved_at IS NULL AND sealed_at IS NOT NULL")
    const isOpenCommand = sql.literal("status IN ('pending', 'dispatched')")

    const isActive = (now: Timestamp) =>
      sql`${isOpen} AND (control_state IS NULL OR control_state <> 'paused' OR claimed > 0 OR deadline_at <= ${now})`

    /** The rows of one resource of the API. `isOne` as a literal: each has its own partial indexes. */
    const rowsIn = <A extends { readonly id: string }, I extends Record<string, unknown>>(
      row: Schema.Schema<A, I>,
      isOne: string
    ) => {
      const isShown = sql.literal(`${isOne} AND sealed_at IS NOT NULL`)
      const [encode, firstRow, allRows] = [Schema.encodeSync(row), firstRowOf(row), rowsOf(row)]
      return {
        insert: (job: A) => sql`INSERT INTO bulk_jobs ${sql.insert(encode(job))}`,
        find: (projectId: ProjectId, id: A["id"]) =>
          firstRow(read`SELECT * FROM bulk_jobs WHERE project_id = ${projectId} AND id = ${id} AND ${isShown}`),
        /** The job as it is now, locked until the transaction ends. */
        lock: (projectId: ProjectId, id: A["id"]) =>
          firstRow(sql`SELECT * FROM bulk_jobs
            WHERE project_id = ${projectId} AND id = ${id} AND ${isShown} ${forUpdate(sql)}`),
        /** Writes a job that the caller has locked, or that is not sealed. False if it was deleted. */
        save: (job: A) =>
          hasRows(sql`UPDATE bulk_jobs SET ${sql.update(encode(job), ["id"])} WHERE id = ${job.id} RETURNING 1`),
        /** Newest first, those older than `start` if it is given. */
        list: (projectId: ProjectId, start: string | null, limit: number) =>
          allRows(read`SELECT * FROM bulk_jobs
            WHERE project_id = ${projectId} AND ${isShown} ${start === null ? read`` : read`AND id < ${start}`}
            ORDER BY id DESC LIMIT ${limit}`),
        /** Those that were stopped count too while commands are open. */
        countOpen: (projectId: ProjectId) =>
          countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM bulk_jobs
            WHERE ${sql.literal(isOne)} AND ${isOpen} AND project_id = ${projectId}`)
      } as const
    }

    return {
      retries: rowsIn(BulkRetry, "action = 'retry'"),
      walks: rowsIn(BulkWalk, "action <> 'retry'"),

      findByKey: (projectId: ProjectId, key: string) =>
        firstRetry(sql`SELECT * FROM bulk_jobs
          WHERE project_id = ${projectId} AND idempotency_key = ${key} AND sealed_at IS NOT NULL`),
      /** Jobs that something can be done for, oldest first, after this id. */
      listActive: (after: string, now: Timestamp, limit: number) =>
        activeRows(sql`SELECT * FROM bulk_jobs WHERE ${isActive(now)} AND id > ${after} ORDER BY id LIMIT ${limit}`),
      /** The job, if something can be done for it. */
      findActive: (id: BulkRow["id"], now: Timestamp) =>
        activeRow(sql`SELECT * FROM bulk_jobs WHERE ${isActive(now)} AND id = ${id}`),

      /** The engines that the project has tasks of: a step of the primary key for each. */
      listEngines: (projectId: ProjectId) => {
        const next = (after: Statement.Fragment) =>
          read`(SELECT min(engine) FROM tasks WHERE project_id = ${projectId} ${after})`
        return Effect.map(
          engineNames(read`WITH RECURSIVE engines (engine) AS (
              SELECT ${next(read``)}
              UNION ALL SELECT ${next(read`AND engine > engines.engine`)} FROM engines WHERE engine IS NOT NULL
            ) SELECT engine FROM engines WHERE engine IS NOT NULL`),
          (rows) => rows.map(({ engine }) => engine)
        )
      },
      /** The tasks, with the agents that reported their workers. */
      listTasks: (projectId: ProjectId, ids: ReadonlyArray<string>) =>
        sql<TaskToCancel>`SELECT t.engine, t.task_id, w.agent_id AS reporter FROM tasks t
          LEFT JOIN workers w ON w.project_id = t.project_id AND w.engine = t.engine AND w.name = t.worker_name
          WHERE t.project_id = ${projectId} AND ${idIn(sql, ids, "t.id")} ORDER BY t.id`,

      /** Commands of a job without an outcome, and with one that is not counted yet, by engine. */
      countCommands: (id: BulkWalk["id"]) =>
        engineCounts(read`SELECT engine, CAST(sum(CASE WHEN ${isOpenCommand} THEN 1 ELSE 0 END) AS INTEGER) AS open,
            CAST(sum(CASE WHEN ${isOpenCommand} THEN 0 ELSE 1 END) AS INTEGER) AS ended
          FROM commands WHERE bulk_job_id = ${id} GROUP BY engine`),
      /** Outcomes that were not counted yet, at most `limit`; they are not found again. */
      takeOutcomes: (id: BulkWalk["id"], limit: number) =>
        Effect.map(
          sql<EndedCommand>`UPDATE commands SET bulk_job_id = NULL WHERE id IN (
              SELECT id FROM commands WHERE bulk_job_id = ${id} AND NOT (${isOpenCommand}) LIMIT ${limit}
            ) RETURNING status AS command_status, dispatched_at, result`,
          (commands) => commands.map(toOutcome)
        ),

      /** Jobs that ended before `ended`, and those whose freezing began before `begun` and never ended. */
      listDisposable: (ended: Timestamp, begun: Timestamp, limit: number) =>
        allKeys(sql`SELECT id, project_id FROM (
            SELECT id, project_id FROM bulk_jobs
            WHERE finished_at IS NOT NULL AND finished_at < ${ended} AND resolved_at IS NOT NULL
            UNION ALL
            SELECT id, project_id FROM bulk_jobs
            WHERE resolved_at IS NULL AND sealed_at IS NULL AND created_at < ${begun}
          ) AS disposable LIMIT ${limit}`),
      /** Deletes a job and its frozen tasks: these first, because the job is what names them. */
      discard: ({ id, project_id }: JobKey) =>
        Effect.zipRight(
          deleteInSlices(sql, {
            table: "bulk_retry_items",
            key: "project_id, request_id, position",
            where: sql`project_id = ${project_id} AND request_id = ${id}`
          }),
          sql`DELETE FROM bulk_jobs WHERE id = ${id}`
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
