import type { ExportJob } from "../../../domain/audit/ExportJob.ts"

/**
 * How the kinds of exports differ. Each kind has its own tables: a replica of an older version writes
 * the file of any open row of `export_jobs` as an audit log.
 */
export interface ExportKind {
  readonly type: ExportJob["export_type"]
  readonly jobs: "export_jobs" | "task_export_jobs"
  readonly chunks: "export_job_chunks" | "task_export_job_chunks"
  /** The column that says whether the file shows what not all readers of the kind may see. */
  readonly showsHidden: "shows_addresses" | "shows_payload"
  /** The files that a project keeps, the newest; null: all until the retention. */
  readonly keptFiles: number | null
  /** One process of all replicas writes the kind's exports. Also the name of its loop. */
  readonly leaseName: string
  /** Below the project's path. */
  readonly path: string
  readonly targetType: string
  readonly createdAction: string
  readonly downloadedAction: string
  readonly deletedAction: string
}

export const auditExports: ExportKind = {
  type: "audit",
  jobs: "export_jobs",
  chunks: "export_job_chunks",
  showsHidden: "shows_addresses",
  keptFiles: null, // only auditors create them
  leaseName: "audit exports",
  path: "audit/export-jobs",
  targetType: "export_job",
  createdAction: "audit.export_created",
  downloadedAction: "audit.export_downloaded",
  deletedAction: "audit.export_deleted"
}

export const taskExports: ExportKind = {
  type: "tasks",
  jobs: "task_export_jobs",
  chunks: "task_export_job_chunks",
  showsHidden: "shows_payload",
  keptFiles: 20, // every viewer may create them
  leaseName: "task exports",
  path: "task-export-jobs",
  targetType: "task_export_job",
  createdAction: "task.export_created",
  downloadedAction: "task.export_downloaded",
  deletedAction: "task.export_deleted"
}

export const exportKinds: ReadonlyArray<ExportKind> = [auditExports, taskExports]
