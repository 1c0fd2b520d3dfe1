import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useLiveChanges, useRefetchInterval } from "../api/live.ts"
import { readTasks } from "../tasks/readTasks.ts"
import type { Agent } from "./agents.ts"

const refetchMillis = 3_000
/** The latest tasks whose events are searched: events are listed by task, and other agents may have the engine too. */
const maxSearched = 5

/** The first event of a new agent that is found, null until one has arrived. Polls while the agent is connected. */
export const useFirstEvent = (slug: string, agent: Agent | undefined) => {
  const queries = useQueryClient()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const id = agent?.id ?? ""
  const engines = agent?.engine_adapters ?? []
  const key = useMemo(() => ["first-event", slug, id], [slug, id])
  const first = useQuery({
    queryKey: key,
    enabled: agent !== undefined && agent.last_connect_at !== null,
    queryFn: async ({ signal }): Promise<Schemas["Event"] | null> => {
      for (const engine of engines) {
        for (const { task_id } of await readTasks(slug, { engine, limit: maxSearched }, signal)) {
          const { items } = await unwrap(
            api.GET("/api/v1/projects/{slug}/events", { params: { path: { slug }, query: { engine, task_id } } })
          )
          const own = items.find(({ agent_id }) => agent_id === id)
          if (own !== undefined) return own
        }
      }
      return null
    },
    refetchInterval: ({ state }) => (state.data ? false : refetchInterval)
  })
  useLiveChanges(
    useMemo(() => ({
      onTask: () => {
        if (!queries.getQueryData(key)) void queries.invalidateQueries({ queryKey: key }, { cancelRefetch: false })
      }
    }), [queries, key])
  )
  return first.data ?? null
}
