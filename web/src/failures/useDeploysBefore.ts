import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { dayMillis, type Deploy } from "./deployBefore.ts"

/** The API's most of one request. */
const maxDeploys = 500

/** The deploys among which are those before these failures, the newest first, in one request; of very many the newest. */
export const useDeploysBefore = (slug: string, failedAt: ReadonlyArray<string | null>): ReadonlyArray<Deploy> => {
  const times = failedAt.filter((at) => at !== null).map((at) => Date.parse(at))
  const [from, to] = [Math.min(...times) - dayMillis, Math.max(...times)]
  const { data } = useQuery({
    queryKey: ["deploys", slug, "before", from, to],
    enabled: times.length > 0,
    placeholderData: (known, query) => (query?.queryKey[1] === slug ? known : undefined),
    queryFn: () => {
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      return unwrap(
        api.GET("/api/v1/projects/{slug}/deploys", {
          params: { path: { slug }, query: { ...range, limit: maxDeploys } }
        })
      )
    }
  })
  return data ?? []
}
