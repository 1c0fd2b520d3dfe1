import { queryOptions, useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"

export type Agent = Schemas["Agent"]
export type AgentUptime = Schemas["AgentUptime"]

const refetchMillis = 5_000

export const agentsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["agents", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))
  })

/** The strips change by the half hour. */
const uptimeMillis = 60_000

/** When each agent was connected during the last 24 hours. */
export const useUptime = (slug: string) => {
  const refetchInterval = useRefetchInterval(uptimeMillis)
  return useQuery({
    queryKey: ["agents", slug, "uptime"],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/agents/uptime", { params: { path: { slug } } })),
    refetchInterval
  })
}

export const useAgents = (slug: string) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  return useQuery({ ...agentsQuery(slug), refetchInterval })
}
