import { queryOptions } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"

export type FailureGroup = Schemas["FailureGroup"]
export type GroupStatus = FailureGroup["status"]

/** Hours back in which a group must have failed. */
export const failureWindows = [1, 24, 168, 720] as const
export type FailureWindow = (typeof failureWindows)[number]

/** The window of a group's page without one in its address. */
export const usualWindow: FailureWindow = 168

/** The filter of the list, in the address of the page. */
export interface FailuresSearch {
  readonly status?: GroupStatus
  readonly hours?: FailureWindow
  readonly engine?: string
}

const pageSize = 50
const shownTasks = 20

export const listGroups = (slug: string, search: FailuresSearch, cursor: string | null) =>
  unwrap(
    api.GET("/api/v1/projects/{slug}/issues", {
      params: { path: { slug }, query: { limit: pageSize, ...search, ...(cursor !== null && { cursor }) } }
    })
  )

export const groupQuery = (slug: string, fingerprint: string, hours: FailureWindow) =>
  queryOptions({
    queryKey: ["failures", slug, "group", fingerprint, hours],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/issues/{fingerprint}", {
          params: { path: { slug, fingerprint }, query: { hours } }
        })
      )
  })

/** The tasks of these terms, as a line of the list of tasks. */
export const groupTasksQuery = (slug: string, query: string) =>
  queryOptions({
    queryKey: ["failures", slug, "tasks", query],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/tasks", { params: { path: { slug }, query: { query, limit: shownTasks } } })
      ) as Promise<{ readonly items: ReadonlyArray<Schemas["Task"]> }> // without `format` the response is a page
  })

/** The engines that the project's agents serve. */
export const enginesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["agents", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } })),
    select: (agents) => [...new Set(agents.flatMap(({ engine_adapters }) => engine_adapters))].sort()
  })
