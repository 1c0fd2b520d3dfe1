import { queryOptions, useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"

export type Agent = Schemas["Agent"]

const refetchMillis = 5_000

export const agentsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["agents", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))
  })

export const useAgents = (slug: string) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  return useQuery({ ...agentsQuery(slug), refetchInterval })
}
