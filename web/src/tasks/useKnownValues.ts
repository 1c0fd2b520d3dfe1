import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import type { KnownValues } from "./completion.ts"

/** Names of tasks that are offered; the most frequent ones of a week. */
const maxNames = 500
const staleMillis = 60_000

const distinct = (values: ReadonlyArray<string>) => [...new Set(values)].sort()

/** The values that terms may have in the project; read once a person types. */
export const useKnownValues = (slug: string, isNeeded: boolean): KnownValues => {
  const options = { enabled: isNeeded, staleTime: staleMillis }
  const path = { slug }
  const queues = useQuery({
    ...options,
    queryKey: ["completion", slug, "queues"],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/queues", { params: { path } }))
  })
  const workers = useQuery({
    ...options,
    queryKey: ["completion", slug, "workers"],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/workers", { params: { path } }))
  })
  const names = useQuery({
    ...options,
    queryKey: ["completion", slug, "names"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/task-names", { params: { path, query: { window: "7d", limit: maxNames } } })
      )
  })
  const engines = [...queues.data ?? [], ...workers.data ?? []].map(({ engine }) => engine)
  return {
    queue: distinct((queues.data ?? []).map(({ name }) => name)),
    worker: distinct((workers.data ?? []).map(({ name }) => name)),
    name: distinct((names.data?.items ?? []).map(({ name }) => name)),
    engine: distinct(engines)
  }
}
