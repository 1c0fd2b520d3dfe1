import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { namesQuery } from "../names/queries.ts"
import type { KnownValues } from "./completion.ts"

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
  const names = useQuery({ ...namesQuery(slug), enabled: isNeeded })
  const engines = [...queues.data ?? [], ...workers.data ?? []].map(({ engine }) => engine)
  return {
    queue: distinct((queues.data ?? []).map(({ name }) => name)),
    worker: distinct((workers.data ?? []).map(({ name }) => name)),
    name: names.data ?? [],
    engine: distinct(engines)
  }
}
