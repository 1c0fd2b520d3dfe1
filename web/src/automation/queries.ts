import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"

/** All that the pages of automation read begins with it. */
export const automationKey = (slug: string) => ["automation", slug] as const

export const settingsQuery = (slug: string) =>
  queryOptions({
    queryKey: [...automationKey(slug), "settings"],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/automation/settings", { params: { path: { slug } } }))
  })

export const rulesQuery = (slug: string) =>
  queryOptions({
    queryKey: [...automationKey(slug), "rules"],
    queryFn: async () =>
      (await unwrap(api.GET("/api/v1/projects/{slug}/automation/rules", { params: { path: { slug } } }))).items
  })

export const ruleQuery = (slug: string, ruleId: string) =>
  queryOptions({
    queryKey: [...automationKey(slug), "rule", ruleId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/automation/rules/{rule_id}", { params: { path: { slug, rule_id: ruleId } } })
      )
  })

/** What a rule did, newest first, page by page. */
export const readExecutions = (slug: string, ruleId: string, limit: number, cursor: string | null) =>
  unwrap(
    api.GET("/api/v1/projects/{slug}/automation/rules/{rule_id}/executions", {
      params: { path: { slug, rule_id: ruleId }, query: { limit, ...(cursor !== null && { cursor }) } }
    })
  )
