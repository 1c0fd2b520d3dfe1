import { api, unwrap } from "../api/client.ts"
import { type TaskSelection, termsOfSelection } from "../tasks/selection.ts"
import type { ExportJob } from "./exportJob.ts"

export const exportsKey = (slug: string, type: ExportJob["export_type"]) => ["exports", slug, type] as const

/** The exports of a kind, newest first. */
export const listExports = async (slug: string, type: ExportJob["export_type"]) => {
  const options = { params: { path: { slug } } }
  const list = type === "audit"
    ? api.GET("/api/v1/projects/{slug}/audit/export-jobs", options)
    : api.GET("/api/v1/projects/{slug}/task-export-jobs", options)
  return (await unwrap(list)).items
}

export const readTaskExport = (slug: string, jobId: string) =>
  unwrap(api.GET("/api/v1/projects/{slug}/task-export-jobs/{job_id}", { params: { path: { slug, job_id: jobId } } }))

export const deleteExport = (slug: string, type: ExportJob["export_type"], jobId: string) => {
  const options = { params: { path: { slug, job_id: jobId } } }
  return type === "audit"
    ? unwrap(api.DELETE("/api/v1/projects/{slug}/audit/export-jobs/{job_id}", options))
    : unwrap(api.DELETE("/api/v1/projects/{slug}/task-export-jobs/{job_id}", options))
}

/** Begins an export of the selected tasks; of those of a query that are there by now. */
export const createTaskExport = (slug: string, format: ExportJob["format"], selection: TaskSelection) =>
  unwrap(
    api.POST("/api/v1/projects/{slug}/task-export-jobs", {
      params: { path: { slug } },
      body: { format, ...termsOfSelection(selection) }
    })
  )
