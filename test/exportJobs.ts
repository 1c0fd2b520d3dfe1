import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ExportJobId } from "../src/domain/kernel/Id.ts"
import * as Timestamp from "../src/domain/kernel/Timestamp.ts"
import { auditExports, type ExportKind } from "../src/services/audit/ExportJobs/Kinds.ts"

/** An export of a project as json, by default of its log, which a process left behind with these chunks of its file. */
export const insertExportJob = (
  project_id: string,
  { chunks, ...fields }: {
    readonly chunks: ReadonlyArray<string>
    readonly attempts?: number
    readonly status?: "running" | "completed"
    readonly action_prefix?: string
    readonly id?: ExportJobId
    readonly user_id?: string
  },
  kind: ExportKind = auditExports
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const {
      action_prefix,
      attempts = 1,
      id = ExportJobId.make(randomUUID()),
      status = "running",
      user_id = randomUUID()
    } = fields
    const isCompleted = status === "completed"
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* sql`INSERT INTO export_jobs ${
        sql.insert({
          id,
          project_id,
          user_id,
          type: kind.type,
          shows_hidden: 0,
          format: "json",
          filters: JSON.stringify(action_prefix === undefined ? {} : { action_prefix }),
          status,
          attempts,
          row_count: isCompleted ? 1 : null,
          size_bytes: Buffer.byteLength(chunks.join("")),
          truncated: 0,
          error: null,
          created_at: now,
          started_at: now,
          completed_at: isCompleted ? now : null
        })
      }`
      for (const [position, text] of chunks.entries()) {
        yield* sql`INSERT INTO export_job_chunks ${
          sql.insert({ job_id: id, position, content: Buffer.from(text).toString("base64") })
        }`
      }
    }))
    return id
  })

export const countChunks = (id: ExportJobId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`SELECT 1 FROM export_job_chunks WHERE job_id = ${id}`,
      (rows) => rows.length
    ))

/** Lets every statement fail that deletes the chunk at this position of an export, until the scope ends. */
export const refuseChunkDeletion = (id: ExportJobId, position: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.acquireRelease(
      sql.onDialectOrElse({
        pg: () =>
          Effect.zipRight(
            sql`CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
            sql.unsafe(`CREATE TRIGGER refuse_deletion BEFORE DELETE ON export_job_chunks FOR EACH ROW
              WHEN (old.job_id = '${id}' AND old.position = ${position}) EXECUTE FUNCTION refuse_deletion()`)
          ),
        orElse: () =>
          sql.unsafe(`CREATE TRIGGER refuse_deletion BEFORE DELETE ON export_job_chunks
            WHEN old.job_id = '${id}' AND old.position = ${position} BEGIN SELECT RAISE(ABORT, 'refused'); END`)
      }),
      () =>
        Effect.orDie(sql.onDialectOrElse({
          pg: () => sql`DROP FUNCTION refuse_deletion CASCADE`,
          orElse: () => sql`DROP TRIGGER refuse_deletion`
        }))
    ))
