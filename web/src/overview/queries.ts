import { queryOptions, useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { compare } from "./comparison.ts"
import { buckets, type OverviewWindow, pastWindows, windowHours } from "./windows.ts"

const topNames = 8

/** The shortest bucket of a chart is a minute. */
export const chartRefetchMillis = 30_000

/** Trends of a project, or of one task name. */
export const trendsQuery = (slug: string, window: OverviewWindow, name?: string) => {
  const query = { window, bucket: buckets[window], ...(name !== undefined && { name }) }
  return queryOptions({
    queryKey: ["trends", slug, query],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/trends", { params: { path: { slug }, query } }))
  })
}

/** The same a week ago; minutes are not kept for so long. */
export const pastTrendsQuery = (slug: string, window: OverviewWindow, name?: string) => {
  const query = { ...pastWindows[window], days_ago: 7, ...(name !== undefined && { name }) }
  return queryOptions({
    queryKey: ["trends", slug, query],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/trends", { params: { path: { slug }, query } }))
  })
}

/** The trends of a window, and with `isCompared` those of the week before. */
export const useTrends = (slug: string, window: OverviewWindow, isCompared: boolean, name?: string) => {
  const refetchInterval = useRefetchInterval(chartRefetchMillis)
  const trends = useQuery({ ...trendsQuery(slug, window, name), refetchInterval })
  const { data: past } = useQuery({ ...pastTrendsQuery(slug, window, name), enabled: isCompared, refetchInterval })
  const isKnown = isCompared && past !== undefined && trends.data !== undefined
  return {
    trends,
    past: isCompared ? past : undefined,
    changes: isKnown ? compare(trends.data, past, trends.dataUpdatedAt) : null
  }
}

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
