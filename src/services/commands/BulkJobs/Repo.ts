import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Schema, Struct } from "effect"
import { BulkJob, BulkJobOutcomes } from "../../../domain/commands/BulkJob.ts"
import type { BulkJobId, ProjectId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { FilterTerms } from "../../../domain/tasks/Task/Filter.ts"
import { JsonColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { deleteInSlices, forUpdate } from "../../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"

/** The name of a deletion's one cursor: it walks over the tasks of all engines. */
export const everyEngine = "*"

/** A row of `bulk_jobs`. */
export const BulkJobRow = Schema.Struct({
  ...Struct.omit(BulkJob.fields, "created_by_name", "note"),
  filter: JsonColumn(FilterTerms),
  /** The id after which the walk over the tasks goes on, by engine; an engine without one is done. */
  cursors: JsonColumn(Schema.Record({ key: Schema.String, value: Schema.String })),
  outcomes: Schema.NullOr(JsonColumn(BulkJobOutcomes)),
  /** The moment of the request: ages of the query count from it, and later tasks are left alone. */
  as_of: Timestamp,
  /** When its last command got an outcome: the runner has nothing left to do. */
  settled_at: Schema.NullOr(Timestamp)
})
export type BulkJobRow = typeof BulkJobRow.Type

/** Tasks that matched at the creation and are gone, or do not match any more, were skipped too. */
export const countSkippedAtEnd = ({ done, skipped, total }: Pick<BulkJobRow, "done" | "skipped" | "total">): number =>
  Math.max(skipped, (total ?? 0) - done)

/** What a step changes. */
export type BulkJobChanges = Partial<
  Pick<BulkJobRow, "cursors" | "done" | "finished_at" | "outcomes" | "settled_at" | "skipped" | "status">
>

const encode = Schema.encodeSync(BulkJobRow)
const encodeChanges = Schema.encodeSync(Schema.partial(
  BulkJobRow.pick("cursors", "done", "finished_at", "outcomes", "settled_at", "skipped", "status")
))
const allRows = rowsOf(BulkJobRow)
const firstRow = firstRowOf(BulkJobRow)

const engineCounts = rowsOf(Schema.Struct({ engine: Schema.String, open: Schema.Int, ended: Schema.Int }))
const countedOutcomes = rowsOf(Schema.Struct({ outcome: Schema.Literal("succeeded", "failed", "unknown") }))
const engineNames = rowsOf(Schema.Struct({ engine: Schema.String }))

export class BulkJobsRepo extends Effect.Service<BulkJobsRepo>()("svc/BulkJobsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(BulkJobRow.fields).join(", "))

    /** The rules of docs/commands.md. An agent that does not know whether it was executed says `indeterminate`. */
    const outcomeSql = sql.literal(`CASE
      WHEN status = 'completed' THEN 'succeeded'
      WHEN dispatched_at IS NULL THEN 'failed'
      WHEN status <> 'failed' OR result LIKE '%"indeterminate":true%' OR result LIKE '%"indeterminate": true%'
        THEN 'unknown'
      ELSE 'failed' END`)

    const isOpen = sql.literal("status IN ('pending', 'dispatched')")

    return {
      insert: (job: BulkJobRow) => sql`INSERT INTO bulk_jobs ${sql.insert(encode(job))}`,
      find: (projectId: ProjectId, id: BulkJobId) =>
        firstRow(read`SELECT ${columns} FROM bulk_jobs WHERE project_id = ${projectId} AND id = ${id}`),
      /** The job as it is now, locked until the transaction ends. */
      lock: (projectId: ProjectId, id: BulkJobId) =>
        firstRow(
          sql`SELECT ${columns} FROM bulk_jobs WHERE project_id = ${projectId} AND id = ${id} ${forUpdate(sql)}`
        ),
      /** Newest first, those older than `start` if it is given. */
      list: (projectId: ProjectId, start: string | null, limit: number) =>
        allRows(read`SELECT ${columns} FROM bulk_jobs
          WHERE project_id = ${projectId} ${start === null ? read`` : read`AND id < ${start}`}
          ORDER BY id DESC LIMIT ${limit}`),
      /** Those that were stopped count too while commands are open. */
      countUnsettled: (projectId: ProjectId) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM bulk_jobs
          WHERE project_id = ${projectId} AND settled_at IS NULL`),
      /** Jobs that something can be done for, oldest first, after this id. */
      listUnsettled: (after: string, limit: number) =>
        allRows(sql`SELECT ${columns} FROM bulk_jobs
          WHERE settled_at IS NULL AND id > ${after} ORDER BY id LIMIT ${limit}`),
      /** The caller has locked the job. */
      update: (id: BulkJobId, changes: BulkJobChanges) =>
        sql`UPDATE bulk_jobs SET ${sql.update(encodeChanges(changes))} WHERE id = ${id}`,
      /** Deletes settled jobs that ended before. */
      prune: (before: Timestamp) =>
        deleteInSlices(sql, {
          table: "bulk_jobs",
          key: "id",
          where: sql`finished_at IS NOT NULL AND finished_at < ${before} AND settled_at IS NOT NULL`,
          orderBy: "finished_at"
        }),

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
      /** Commands of a job without an outcome, and with one that is not counted yet, by engine. */
      countCommands: (id: BulkJobId) =>
        engineCounts(read`SELECT engine, CAST(sum(CASE WHEN ${isOpen} THEN 1 ELSE 0 END) AS INTEGER) AS open,
            CAST(sum(CASE WHEN ${isOpen} THEN 0 ELSE 1 END) AS INTEGER) AS ended
          FROM commands WHERE bulk_job_id = ${id} GROUP BY engine`),
      /** Outcomes that were not counted yet, at most `limit`; they are not found again. */
      takeOutcomes: (id: BulkJobId, limit: number) =>
        countedOutcomes(sql`UPDATE commands SET bulk_job_id = NULL WHERE id IN (
            SELECT id FROM commands WHERE bulk_job_id = ${id} AND NOT (${isOpen}) LIMIT ${limit}
          ) RETURNING ${outcomeSql} AS outcome`)
    } as const
  })
}) {
  static readonly layer = this.Default
}
