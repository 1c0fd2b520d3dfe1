import { SqlClient } from "@effect/sql"
import { Effect, Option, Stream } from "effect"
import type { ExportJobId, ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { lockName, type SlicedDelete } from "../../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, hasRows, rowsOf } from "../../kernel/sql/Rows.ts"
import { deleteChunks, deleteExports } from "./Chunks.ts"
import type { ExportKind } from "./Kinds.ts"
import { encodeFilters, JobRow } from "./Row.ts"

/** What the writer changes of a job. */
export type JobChanges = Partial<
  Pick<
    JobRow,
    | "status"
    | "attempts"
    | "total_rows"
    | "row_count"
    | "size_bytes"
    | "truncated"
    | "error"
    | "started_at"
    | "completed_at"
  >
>

/** The exports of a kind, with their files in chunks. */
export const makeExportJobsRepo = ({ leaseName, type }: ExportKind) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const firstJob = firstRowOf(JobRow)

    return {
      /** Lets one transaction at a time create an export of the project. */
      lockProject: (projectId: ProjectId) => lockName(sql, `${leaseName} ${projectId}`),
      countOpen: (projectId: ProjectId) =>
        countOf(
          sql`SELECT CAST(count(*) AS INTEGER) AS n FROM export_jobs
            WHERE project_id = ${projectId} AND type = ${type} AND completed_at IS NULL`
        ),
      insert: (job: JobRow) =>
        sql`INSERT INTO export_jobs ${sql.insert({ ...job, type, filters: encodeFilters(job.filters) })}`,
      find: (projectId: ProjectId, id: ExportJobId) =>
        firstJob(
          read`SELECT * FROM export_jobs
            WHERE id = ${id} AND type = ${type} AND project_id = ${projectId} AND deleted_at IS NULL`
        ),
      /** Newest first. */
      list: (projectId: ProjectId, limit: number) =>
        rowsOf(JobRow)(
          read`SELECT * FROM export_jobs WHERE project_id = ${projectId} AND type = ${type} AND deleted_at IS NULL
            ORDER BY id DESC LIMIT ${limit}`
        ),
      /** A chunk that is missing ends the response in the middle, so that no client takes the rest for the file. */
      readFile: ({ id, size_bytes }: JobRow): Stream.Stream<Uint8Array> =>
        Stream.paginateEffect({ position: 0, left: size_bytes ?? 0 }, ({ left, position }) =>
          Effect.flatMap(
            read<{ content: string }>`
              SELECT content FROM export_job_chunks WHERE job_id = ${id} AND position = ${position}`,
            ([row]) => {
              if (row === undefined) return Effect.dieMessage(`chunk ${position} of the export ${id} is missing`)
              const bytes = Buffer.from(row.content, "base64")
              const rest = left - bytes.length
              return Effect.succeed([
                bytes,
                rest > 0 ? Option.some({ position: position + 1, left: rest }) : Option.none()
              ])
            }
          )).pipe(
            Stream.catchAll(Effect.die) // the response has begun, so a database failure can only end the download
          ),
      /** Hides the export, and ends it if it is being written; false: it was hidden before. */
      hide: (id: ExportJobId, now: Timestamp) =>
        hasRows(sql`
          UPDATE export_jobs SET deleted_at = ${now}, completed_at = COALESCE(completed_at, ${now})
          WHERE id = ${id} AND deleted_at IS NULL RETURNING id`),

      /** Whether an export waits to be written, or to be deleted. */
      hasWork: hasRows(
        read`SELECT 1 FROM export_jobs WHERE type = ${type} AND completed_at IS NULL
          UNION ALL SELECT 1 FROM export_jobs WHERE type = ${type} AND deleted_at IS NOT NULL LIMIT 1`
      ),
      /** The oldest export that has not ended. */
      findOpen: firstJob(
        read`SELECT * FROM export_jobs WHERE type = ${type} AND completed_at IS NULL ORDER BY id LIMIT 1`
      ),
      /** False: the export is hidden. */
      update: ({ id }: JobRow, changes: JobChanges) =>
        hasRows(
          sql`UPDATE export_jobs SET ${sql.update(changes)} WHERE id = ${id} AND deleted_at IS NULL RETURNING id`
        ),
      /** The same of one that was created later than `after`, and has not ended. */
      updateOpen: ({ id }: JobRow, changes: JobChanges, after: Timestamp) =>
        sql`UPDATE export_jobs SET ${sql.update(changes)}
          WHERE id = ${id} AND completed_at IS NULL AND created_at > ${after}`,
      insertChunk: ({ id }: JobRow, position: number, bytes: Uint8Array) =>
        sql`INSERT INTO export_job_chunks ${
          sql.insert({ job_id: id, position, content: Buffer.from(bytes).toString("base64") })
        }`,
      deleteFile: <E>({ id }: JobRow, runSlice: SlicedDelete<E>["runSlice"]) => deleteChunks(sql, id, runSlice),
      deleteHidden: deleteExports(sql, sql`type = ${type} AND deleted_at IS NOT NULL`),
      /** Deletes ended exports of the project beyond the newest ones. */
      deleteOldest: (projectId: ProjectId, keptFiles: number) =>
        deleteExports(
          sql,
          sql`type = ${type} AND project_id = ${projectId} AND completed_at IS NOT NULL AND id NOT IN (
            SELECT id FROM export_jobs WHERE type = ${type} AND project_id = ${projectId} AND completed_at IS NOT NULL
            ORDER BY id DESC LIMIT ${keptFiles})`
        ),
      deleteEndedBefore: (cutoff: Timestamp) => deleteExports(sql, sql`type = ${type} AND completed_at < ${cutoff}`)
    } as const
  })
