import { api, unwrap } from "../api/client.ts"
import { type TaskSelection, termsOfSelection } from "../tasks/selection.ts"
import type { BulkJob } from "./bulkJob.ts"

const pageSize = 50

/** The first part of the key of every read of bulk jobs. */
export const bulkJobsKey = (slug: string) => ["bulk-jobs", slug] as const

export const listBulkJobs = (slug: string, cursor: string | null) =>
  unwrap(
    api.GET("/api/v1/projects/{slug}/bulk-jobs", {
      params: { path: { slug }, query: { limit: pageSize, ...(cursor !== null && { cursor }) } }
    })
  )

export const readBulkJob = (slug: string, jobId: string) =>
  unwrap(api.GET("/api/v1/projects/{slug}/bulk-jobs/{bulk_job_id}", { params: { path: { slug, bulk_job_id: jobId } } }))

/** Deletes or cancels the selected tasks; those of a query that were there at `until`. */
export const createBulkJob = (slug: string, action: BulkJob["act"], selection: TaskSelection, until: string) => {
  const options = {
    params: { path: { slug } },
    body: { ...termsOfSelection(selection), ...(selection.kind === "query" && { filter_until: until }) }
  }
  return unwrap(
    action === "delete"
      ? api.POST("/api/v1/projects/{slug}/bulk-jobs:delete", options)
      : api.POST("/api/v1/projects/{slug}/bulk-jobs:cancel", options)
  )
}

export const stopBulkJob = (slug: string, jobId: string) =>
  unwrap(
    api.POST("/api/v1/projects/{slug}/bulk-jobs/{bulk_job_id}/stop", {
      params: { path: { slug, bulk_job_id: jobId } }
    })
  )
