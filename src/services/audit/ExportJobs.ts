import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ExportJob } from "../../domain/audit/ExportJob.ts"
import { Conflict, type Forbidden, NotFound } from "../../domain/kernel/Errors.ts"
import { ExportJobId } from "../../domain/kernel/Id.ts"
import { type ExportFormat, omitNullTerms, summarizeTerms } from "../../domain/kernel/Query.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { CurrentActor, CurrentProject, requireRole } from "../kernel/CurrentActor.ts"
import type { ExportFile } from "../kernel/Export/Formats.ts"
import * as Ids from "../kernel/Ids.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { Audit, auditEntry } from "./Audit.ts"
import type { ExportKind } from "./ExportJobs/Kinds.ts"
import { makeExportJobsRepo } from "./ExportJobs/Repo.ts"
import type { JobRow } from "./ExportJobs/Row.ts"

/** Exports of a project and a kind that have not ended: each may take minutes of one replica. */
const maxOpenJobs = 5

interface NewJob {
  readonly format: ExportFormat
  /** The terms of the request. */
  readonly terms: Readonly<Record<string, unknown>>
  /** Whether the file shows what not all readers of the kind may see. */
  readonly showsHidden: boolean
  readonly created_at: Timestamp.Timestamp
}

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
  detail: `The project has ${maxOpenJobs} exports of this kind that have not ended. Wait for one.`
})

/**
 * Exports of a project that are too large for one response, or must outlive the connection. The file is in the database
 * in chunks, so every replica can send it. `ExportJobs/Runner.ts` writes it.
 *
 * `requireHidden` fails where the caller may not download a file that shows what not all readers of the kind may see;
 * `hideTerms` hides the terms that tell what it shows, also in the log, which more people read.
 */
export const makeExportJobs = (
  kind: ExportKind,
  requireHidden: Effect.Effect<void, Forbidden, CurrentActor | CurrentProject>,
  hideTerms: (terms: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> = (terms) => terms
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* makeExportJobsRepo(kind)
    const audit = yield* Audit
    const service = `ExportJobs.${kind.type}`

    const mayDownload = ({ shows_hidden }: JobRow) =>
      shows_hidden === 1 ? Effect.isSuccess(requireHidden) : Effect.succeed(true)

    const viewOf = Effect.fnUntraced(function*(row: JobRow) {
      const { slug } = yield* CurrentProject
      const { attempts: _, shows_hidden: __, truncated, ...shown } = row
      const isVisible = yield* mayDownload(row)
      const downloadable = row.status === "completed" && isVisible
      return {
        ...shown,
        filters: summarizeTerms(isVisible ? row.filters : hideTerms(row.filters)),
        export_type: kind.type,
        truncated: truncated === 1,
        sink: "database",
        location: downloadable ? `/api/v1/projects/${slug}/${kind.path}/${row.id}/download` : null,
        downloadable
      } satisfies ExportJob
    })

    const find = Effect.fnUntraced(function*(id: ExportJobId) {
      const { id: project_id } = yield* CurrentProject
      return yield* orFail(notFound)(yield* repo.find(project_id, id))
    })

    /** Stores the job; the first free replica begins it within a second. */
    const create = Effect.fn(`${service}.create`)(function*({ created_at, format, showsHidden, terms }: NewJob) {
      const filters = omitNullTerms(terms)
      const { id: project_id } = yield* CurrentProject
      const actor = yield* CurrentActor
      if (actor.kind === "system") return yield* Effect.dieMessage("an export belongs to a user")
      yield* repo.lockProject(project_id)
      if ((yield* repo.countOpen(project_id)) >= maxOpenJobs) return yield* tooMany
      const row: JobRow = {
        id: yield* Ids.nextOf(ExportJobId),
        project_id,
        user_id: actor.user_id,
        shows_hidden: showsHidden ? 1 : 0,
        format,
        filters,
        status: "pending",
        attempts: 0,
        total_rows: null,
        row_count: null,
        size_bytes: null,
        truncated: 0,
        error: null,
        created_at,
        started_at: null,
        completed_at: null
      }
      yield* repo.insert(row)
      yield* audit.record(auditEntry(kind.createdAction, kind.targetType, row.id, {
        project_id,
        metadata: { format, filters: summarizeTerms(hideTerms(filters)) }
      }))
      return yield* viewOf(row)
    }, inTransaction(sql))

    const list = Effect.fn(`${service}.list`)(function*(limit: number) {
      const { id: project_id } = yield* CurrentProject
      const rows = yield* repo.list(project_id, limit)
      return { items: yield* Effect.forEach(rows, viewOf), sink: "database", sink_location: null }
    }, orDieOnSql)

    const get = Effect.fn(`${service}.get`)((id: ExportJobId) => Effect.flatMap(find(id), viewOf), orDieOnSql)

    /** The file of a completed job, which is read chunk by chunk as the caller takes it. */
    const download = Effect.fn(`${service}.download`)(function*(id: ExportJobId) {
      const row = yield* find(id)
      if (row.shows_hidden === 1) yield* requireHidden
      if (row.status !== "completed") return yield* notReady(row.status)
      yield* sql.withTransaction(audit.record(auditEntry(kind.downloadedAction, kind.targetType, id, {
        project_id: row.project_id,
        metadata: { format: row.format, size_bytes: row.size_bytes }
      })))
      return { format: row.format, truncated: row.truncated === 1, body: repo.readFile(row) } satisfies ExportFile
    }, orDieOnSql)

    /** Hides the export at once, and ends it if it is being written. `ExportJobs/Runner.ts` deletes its file. */
    const remove = Effect.fn(`${service}.remove`)(function*(id: ExportJobId) {
      const { created_at, project_id, user_id } = yield* find(id)
      const actor = yield* CurrentActor
      if (actor.kind !== "person" || actor.user_id !== user_id) yield* requireRole(project_id, "admin")
      if (!(yield* repo.hide(id, yield* Timestamp.now))) return yield* notFound
      yield* audit.record(auditEntry(kind.deletedAction, kind.targetType, id, {
        project_id,
        metadata: { created_by: user_id, created_at }
      }))
    }, inTransaction(sql))

    return { create, list, get, download, remove } as const
  })
