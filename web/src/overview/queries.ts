import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { buckets, type OverviewWindow, windowHours } from "./windows.ts"

const topNames = 8

export const trendsQuery = (slug: string, window: OverviewWindow) =>
  queryOptions({
    queryKey: ["trends", slug, window],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/trends", {
          params: { path: { slug }, query: { window, bucket: buckets[window] } }
        })
      )
  })

export const homeTrendsQuery = (window: OverviewWindow) =>
  queryOptions({
    queryKey: ["home", "trends", window],
    queryFn: () => unwrap(api.GET("/api/v1/home/trends", { params: { query: { window, bucket: buckets[window] } } }))
  })

export const statsQuery = (slug: string, window: OverviewWindow) =>
  queryOptions({
    queryKey: ["stats", slug, window],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/stats", { params: { path: { slug }, query: { hours: windowHours[window] } } })
      )
  })

export const failingNamesQuery = (slug: string, window: OverviewWindow) =>
  queryOptions({
    queryKey: ["task-names", slug, window],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/task-names", {
          params: { path: { slug }, query: { window, sort: "failures", limit: topNames } }
        })
      ),
    select: ({ items }) => items.filter(({ failure }) => failure > 0)
  })

/** The groups that failed in the window, with the most open tasks first among the newest. */
export const failingGroupsQuery = (slug: string, window: OverviewWindow) =>
  queryOptions({
    queryKey: ["failures", slug, "top", window],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/issues", {
          params: { path: { slug }, query: { status: "ongoing", hours: windowHours[window], limit: 200 } }
        })
      ),
    select: ({ items }) => items.toSorted((left, right) => right.open_count - left.open_count).slice(0, topNames)
  })

export const homeQuery = queryOptions({
  queryKey: ["home"],
  queryFn: () => unwrap(api.GET("/api/v1/home/summary"))
})

const recentFailures = 10

export const recentFailuresQuery = queryOptions({
  queryKey: ["home", "recent-failures"],
  queryFn: () => unwrap(api.GET("/api/v1/home/recent-failures", { params: { query: { limit: recentFailures } } }))
})

export const queuesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["queues", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/queues", { params: { path: { slug } } }))
  })
