import { queryOptions } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import type { FailuresSearch } from "./search.ts"

export type FailureGroup = Schemas["FailureGroup"]
export type FailureGroupDetail = Schemas["FailureGroupDetail"]
export type TriageChange = Schemas["UpdateFailureGroup"]

/** Whether a mute ends by a condition, and not at a time. */
export const isMuteCondition = (end: string): end is "escalates" | "next_deploy" =>
  end === "escalates" || end === "next_deploy"

/** What a group is, for people: what they decided about it, else whether its tasks have recovered. */
export type GroupStatus = FailureGroup["status"] | Exclude<FailureGroup["triage"], "open">

export const statusOf = ({ status, triage }: FailureGroup): GroupStatus => (triage === "open" ? status : triage)

const pageSize = 50
const shownTasks = 20

export const listGroups = (slug: string, search: FailuresSearch, cursor: string | null) =>
  unwrap(
    api.GET("/api/v1/projects/{slug}/issues", {
      params: { path: { slug }, query: { limit: pageSize, ...search, ...(cursor !== null && { cursor }) } }
    })
  )

export const groupQuery = (slug: string, fingerprint: string, hours: number) =>
  queryOptions({
    queryKey: ["failures", slug, "group", fingerprint, hours],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/issues/{fingerprint}", {
          params: { path: { slug, fingerprint }, query: { hours } }
        })
      )
  })

/** Changes what members decided about a group. */
export const triageGroup = (slug: string, fingerprint: string, change: TriageChange) =>
  unwrap(
    api.PATCH("/api/v1/projects/{slug}/issues/{fingerprint}", {
      params: { path: { slug, fingerprint } },
      body: change
    })
  )

/** Whom operators can assign groups to. */
export const assigneesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["failures", slug, "assignees"],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/issue-assignees", { params: { path: { slug } } }))
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
