import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema, Stream } from "effect"
import { Conflict, NotFound } from "../domain/Errors.ts"
import { type ExportJob, type ExportJobCreate, ExportJobFormat, ExportJobStatus } from "../domain/ExportJob.ts"
import { ExportJobId, ProjectId, UserId } from "../domain/Id.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { Audit } from "./Audit.ts"
import { CurrentActor, CurrentProject } from "./CurrentActor.ts"
import { orDieOnSql, Reader } from "./Database.ts"
import { lockName } from "./Dialect.ts"
import type { ExportFile } from "./Export/Formats.ts"
import * as Ids from "./Ids.ts"
import { countOf, firstRowOf, rowsOf } from "./Rows.ts"

/** Exports of a project that have not ended: each may take minutes of one replica. */
const maxOpenJobs = 5

/** The terms as they are stored and shown; those that were not given are absent. */
export const StoredFilters = Schema.Struct({
  action_prefix: Schema.optional(Schema.String),
  outcome: Schema.optional(Schema.String),
  user_id: Schema.optional(UserId),
  target_id: Schema.optional(Schema.String),
  since: Schema.optional(Timestamp.Timestamp),
  fields: Schema.optional(Schema.Array(Schema.String))
})

/** A row of `export_jobs`. */
export const JobRow = Schema.Struct({
  id: ExportJobId,
  project_id: ProjectId,
  user_id: UserId,
  shows_addresses: Schema.Number,
  format: ExportJobFormat,
  filters: Schema.parseJson(StoredFilters),
  status: ExportJobStatus,
  attempts: Schema.Number,
  row_count: Schema.NullOr(Schema.Number),
  size_bytes: Schema.NullOr(Schema.Number),
  truncated: Schema.Number,
  error: Schema.NullOr(Schema.String),
  created_at: Timestamp.Timestamp,
  started_at: Schema.NullOr(Timestamp.Timestamp),
  completed_at: Schema.NullOr(Timestamp.Timestamp)
})
export type JobRow = typeof JobRow.Type

const notFound = new NotFound({ resource: "export_job" })

const notReady = (status: string) =>
  new Conflict({
    code: "export_job_not_completed",
    detail: status === "failed"
      ? "The export failed, so there is no file; its error says why."
      : "The export is not completed yet. Read it again, then download its file."
  })

const tooMany = new Conflict({
  code: "too_many_export_jobs",
  detail: `The project has ${maxOpenJobs} exports that have not ended. Wait for one.`
})

const viewOf = (row: JobRow, slug: string): ExportJob => {
  const { attempts: _, shows_addresses: __, truncated, ...shown } = row
  const downloadable = row.status === "completed"
  return {
    ...shown,
    export_type: "audit",
    truncated: truncated === 1,
    sink: "database",
    location: downloadable ? `/api/v1/projects/${slug}/audit/export-jobs/${row.id}/download` : null,
    downloadable
  }
}

/**
 * Exports of a project's audit log that are too large for one response (docs/audit.md, Exports in the background). The file
 * is in the database in chunks, so every replica can send it. `AuditExports/Runner.ts` writes it.
 */
export class AuditExports extends Effect.Service<AuditExports>()("svc/AuditExports", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const audit = yield* Audit

    const find = Effect.fnUntraced(function*(id: ExportJobId) {
      const { id: project_id } = yield* CurrentProject
      const row = yield* firstRowOf(JobRow)(
        read`SELECT * FROM export_jobs WHERE id = ${id} AND project_id = ${project_id}`
      )
      return yield* Option.match(row, { onNone: () => notFound, onSome: Effect.succeed })
    })

    /** Stores the job; the first free replica begins it within a second. */
    const create = Effect.fn("AuditExports.create")(
      function*({ format, ...terms }: ExportJobCreate) {
        const { id: project_id, slug } = yield* CurrentProject
        const actor = yield* CurrentActor
        if (actor.kind === "system") return yield* Effect.dieMessage("an export belongs to a user")
        yield* lockName(sql, `export jobs ${project_id}`)
        const open = yield* countOf(
          sql`SELECT CAST(count(*) AS INTEGER) AS n FROM export_jobs
            WHERE project_id = ${project_id} AND completed_at IS NULL`
        )
        if (open >= maxOpenJobs) return yield* tooMany
        const filters = Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== null))
        const row = {
          id: yield* Ids.nextOf(ExportJobId),
          project_id,
          user_id: actor.user_id,
          shows_addresses: actor.is_admin ? 1 : 0,
          format,
          filters: JSON.stringify(filters),
          status: "pending",
          attempts: 0,
          row_count: null,
          size_bytes: null,
          truncated: 0,
          error: null,
          created_at: yield* Timestamp.now,
          started_at: null,
          completed_at: null
        } as const
        yield* sql`INSERT INTO export_jobs ${sql.insert(row)}`
        yield* audit.record({
          action: "audit.export_created",
          target_type: "export_job",
          target_id: row.id,
          project_id,
          metadata: { format, filters }
        })
        return viewOf({ ...row, filters }, slug)
      },
      sql.withTransaction,
      orDieOnSql
    )

    const list = Effect.fn("AuditExports.list")(function*(limit: number) {
      const { id: project_id, slug } = yield* CurrentProject
      const rows = yield* rowsOf(JobRow)(
        read`SELECT * FROM export_jobs WHERE project_id = ${project_id} ORDER BY id DESC LIMIT ${limit}`
      )
      return { items: rows.map((row) => viewOf(row, slug)), sink: "database", sink_location: null }
    }, orDieOnSql)

    const get = Effect.fn("AuditExports.get")(function*(id: ExportJobId) {
      const { slug } = yield* CurrentProject
      return viewOf(yield* find(id), slug)
    }, orDieOnSql)

    /** A chunk that is missing ends the response in the middle, so that no client takes the rest for the file. */
    const chunksOf = ({ id, size_bytes }: JobRow): Stream.Stream<Uint8Array> =>
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
        )

    /** The file of a completed job, which is read chunk by chunk as the caller takes it. */
    const download = Effect.fn("AuditExports.download")(function*(id: ExportJobId) {
      const row = yield* find(id)
      if (row.status !== "completed") return yield* notReady(row.status)
      yield* sql.withTransaction(audit.record({
        action: "audit.export_downloaded",
        target_type: "export_job",
        target_id: id,
        project_id: row.project_id,
        metadata: { format: row.format, size_bytes: row.size_bytes }
      }))
      return { format: row.format, truncated: row.truncated === 1, body: chunksOf(row) } satisfies ExportFile
    }, orDieOnSql)

    return { create, list, get, download } as const
  })
}) {
  static readonly layer = this.Default
}
