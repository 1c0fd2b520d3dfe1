import type { ExportJob } from "../../../domain/audit/ExportJob.ts"

/** How the kinds of exports differ. */
export interface ExportKind {
  readonly type: ExportJob["export_type"]
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
  keptFiles: 20, // every viewer may create them
  leaseName: "task exports",
  path: "task-export-jobs",
  targetType: "task_export_job",
  createdAction: "task.export_created",
  downloadedAction: "task.export_downloaded",
  deletedAction: "task.export_deleted"
}
