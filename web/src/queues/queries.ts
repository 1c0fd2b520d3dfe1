import { queryOptions, useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { buckets, type OverviewWindow } from "../overview/windows.ts"

export type QueueDetail = Schemas["QueueDetail"]

interface QueueKey {
  readonly slug: string
  readonly engine: string
  readonly name: string
}

const refetchMillis = 10_000

const queueQuery = ({ engine, name, slug }: QueueKey, window: OverviewWindow) =>
  queryOptions({
    queryKey: ["queues", slug, engine, name, window],
    queryFn: () =>
      unwrap(api.GET("/api/v1/projects/{slug}/queues/{engine}/{name}", {
        params: { path: { slug, engine, name }, query: { window } }
      }))
  })

export const useQueue = (key: QueueKey, window: OverviewWindow) =>
  useQuery({ ...queueQuery(key, window), refetchInterval: useRefetchInterval(refetchMillis) })

/** What arrives in the queue, and what ends. */
export const useQueueTrends = ({ engine, name, slug }: QueueKey, window: OverviewWindow) => {
  const query = { window, bucket: buckets[window], engine, queue: name }
  return useQuery({
    queryKey: ["trends", slug, query],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/trends", { params: { path: { slug }, query } })),
    refetchInterval: useRefetchInterval(refetchMillis)
  })
}
