import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { type OverviewWindow, windowHours } from "../overview/windows.ts"
import { formatQuery } from "../tasks/query.ts"
import { readTasks } from "../tasks/readTasks.ts"

/** Runs of the strip. */
export const stripRuns = 50
const maxGroups = 100

/** Names that are offered; the most frequent ones of a week. */
const maxNames = 500

export const namesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["completion", slug, "names"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/task-names", {
          params: { path: { slug }, query: { window: "7d", limit: maxNames } }
        })
      ),
    select: ({ items }) => [...new Set(items.map(({ name }) => name))].sort(),
    staleTime: 60_000
  })

export const nameQuery = (slug: string, name: string, window: OverviewWindow) =>
  queryOptions({
    queryKey: ["task-names", slug, "name", name, window],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/task-names/{name}", { params: { path: { slug, name }, query: { window } } })
      )
  })

/** The newest tasks of the name, of any time: one index has them in this order. */
export const runsQuery = (slug: string, name: string) =>
  queryOptions({
    queryKey: ["task-names", slug, "runs", name],
    queryFn: ({ signal }) => readTasks(slug, { query: formatQuery({ exactName: name }), limit: stripRuns }, signal)
  })

/** The groups of its tasks that failed in the window, whatever members decided about them. */
export const groupsOfNameQuery = (slug: string, name: string, window: OverviewWindow) =>
  queryOptions({
    queryKey: ["failures", slug, "of-name", name, window],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/issues", {
          params: {
            path: { slug },
            query: { search: name.slice(0, 200), status: "all", hours: windowHours[window], limit: maxGroups }
          }
        })
      ),
    // the search finds parts of names, and exceptions too
    select: ({ items }) => items.filter(({ sample_task_name }) => sample_task_name === name)
  })
