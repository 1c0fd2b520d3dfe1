import type { ExportJob } from "../../domain/ExportJob.ts"

/**
 * What exports of one kind do not share with the others. Each kind has its own tables: a replica of an older version writes
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
  readonly created: string
  readonly downloaded: string
  readonly deleted: string
}

export const auditExports: ExportKind = {
  type: "audit",
  jobs: "export_jobs",
  chunks: "export_job_chunks",
  showsHidden: "shows_addresses",
  keptFiles: null, // auditors make them
  leaseName: "audit exports",
  path: "audit/export-jobs",
  targetType: "export_job",
  created: "audit.export_created",
  downloaded: "audit.export_downloaded",
  deleted: "audit.export_deleted"
}

export const taskExports: ExportKind = {
  type: "tasks",
  jobs: "task_export_jobs",
  chunks: "task_export_job_chunks",
  showsHidden: "shows_payload",
  keptFiles: 20, // every viewer may make them
  leaseName: "task exports",
  path: "task-export-jobs",
  targetType: "task_export_job",
  created: "task.export_created",
  downloaded: "task.export_downloaded",
  deleted: "task.export_deleted"
}

export const exportKinds: ReadonlyArray<ExportKind> = [auditExports, taskExports]
