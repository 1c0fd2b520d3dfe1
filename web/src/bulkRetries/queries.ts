import { api, unwrap } from "../api/client.ts"
import type { BulkRetryFilter } from "./bulkRetry.ts"
import type { ItemsSearch } from "./search.ts"

const pageSize = 50

/** The first part of the key of every read of bulk retries. */
export const bulkRetriesKey = (slug: string) => ["bulk-retries", slug] as const

export const listBulkRetries = (slug: string, cursor: string | null) =>
  unwrap(
    api.GET("/api/v1/projects/{slug}/bulk-retry-requests", {
      params: { path: { slug }, query: { limit: pageSize, ...(cursor !== null && { cursor }) } }
    })
  )

export const readBulkRetry = (slug: string, requestId: string) =>
  unwrap(
    api.GET("/api/v1/projects/{slug}/bulk-retry-requests/{request_id}", {
      params: { path: { slug, request_id: requestId } }
    })
  )

export const listItems = (slug: string, requestId: string, shown: ItemsSearch, cursor: string | null) =>
  unwrap(
    api.GET("/api/v1/projects/{slug}/bulk-retry-requests/{request_id}/items", {
      params: {
        path: { slug, request_id: requestId },
        query: { limit: pageSize, ...shown, ...(cursor !== null && { cursor }) }
      }
    })
  )

export const previewBulkRetry = (slug: string, filter: BulkRetryFilter, max: number | null) =>
  unwrap(
    api.POST("/api/v1/projects/{slug}/bulk-retry-requests:preview", {
      params: { path: { slug } },
      body: { filter, max }
    })
  )

export const createBulkRetry = (
  slug: string,
  body: {
    readonly idempotency_key: string
    readonly filter: BulkRetryFilter
    readonly max: number | null
    readonly rate_per_second: number | null
  }
) => unwrap(api.POST("/api/v1/projects/{slug}/bulk-retry-requests", { params: { path: { slug } }, body }))

export const pauseBulkRetry = (slug: string, requestId: string) =>
  unwrap(
    api.POST("/api/v1/projects/{slug}/bulk-retry-requests/{request_id}/pause", {
      params: { path: { slug, request_id: requestId } }
    })
  )

/** Without a rate the request keeps its own; 0 lifts it. */
export const resumeBulkRetry = (slug: string, requestId: string, rate?: number) =>
  unwrap(
    api.POST("/api/v1/projects/{slug}/bulk-retry-requests/{request_id}/resume", {
      params: {
        path: { slug, request_id: requestId },
        query: rate === undefined ? {} : { rate_per_second: rate }
      }
    })
  )

export const cancelBulkRetry = (slug: string, requestId: string) =>
  unwrap(
    api.POST("/api/v1/projects/{slug}/bulk-retry-requests/{request_id}/cancel", {
      params: { path: { slug, request_id: requestId } }
    })
  )
