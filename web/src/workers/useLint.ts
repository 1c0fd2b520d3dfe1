import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"

const lintMillis = 60_000

/** What was found in the settings of the online workers (docs/api.md, workers/lint). */
export const useLint = (slug: string) => {
  const refetchInterval = useRefetchInterval(lintMillis)
  return useQuery({
    queryKey: ["lint", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/workers/lint", { params: { path: { slug } } })),
    refetchInterval
  })
}
