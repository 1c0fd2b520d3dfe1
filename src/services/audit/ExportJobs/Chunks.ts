import type { SqlClient, SqlError, Statement } from "@effect/sql"
import { Effect } from "effect"
import { deleteInSlices, type SlicedDelete } from "../../kernel/sql/Dialect.ts"

/** The chunks that one statement deletes, 6 MB: thousands would block SQLite's event loop, or hold locks for seconds. */
const chunksPerDelete = 16

/** Deletes the file of an export, its first chunks first. */
export const deleteChunks = <E = never>(
  sql: SqlClient.SqlClient,
  jobId: string,
  runSlice?: SlicedDelete<E>["runSlice"]
) =>
  deleteInSlices(sql, {
    table: "export_job_chunks",
    key: "job_id, position",
    where: sql`job_id = ${jobId}`,
    orderBy: "position",
    rows: chunksPerDelete,
    ...(runSlice !== undefined && { runSlice })
  })

/** Deletes exports with their files. */
export const deleteExports = (
  sql: SqlClient.SqlClient,
  where: Statement.Fragment
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(
    sql<{ id: string }>`SELECT id FROM export_jobs WHERE ${where}`,
    Effect.forEach(
      ({ id }) => Effect.zipRight(deleteChunks(sql, id), sql`DELETE FROM export_jobs WHERE id = ${id}`),
      { discard: true }
    )
  )
