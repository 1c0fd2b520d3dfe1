import { queryOptions, useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"

export type Worker = Schemas["Worker"]
export type WorkerDetail = Schemas["WorkerDetail"]

const refetchMillis = 5_000

export const workersQuery = (slug: string) =>
  queryOptions({
    queryKey: ["workers", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/workers", { params: { path: { slug } } }))
  })

export const useWorkers = (slug: string) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  return useQuery({ ...workersQuery(slug), refetchInterval })
}

export const useWorker = (slug: string, workerId: string) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  return useQuery({
    queryKey: ["workers", slug, workerId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/workers/{worker_id}", { params: { path: { slug, worker_id: workerId } } })
      ),
    refetchInterval
  })
}

/** What the worker's engine says about its task names; empty where the engine does not report them. */
export const registeredNames = ({ metadata: { registered } }: WorkerDetail): ReadonlyArray<string> =>
  Array.isArray(registered) ? registered.filter((name) => typeof name === "string") : []
