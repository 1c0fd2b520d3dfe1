import { queryOptions, useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { buckets, type OverviewWindow } from "../overview/windows.ts"
import { formatQuery } from "../tasks/query.ts"
import { readTasks } from "../tasks/readTasks.ts"

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

export const tasksOf = ({ engine, name }: Omit<QueueKey, "slug">): string => formatQuery({ queue: name, engine })

/** Whether there is a task of the queue, asked until there is one: agents may report a queue without its tasks. */
export const useHasTasks = ({ slug, ...queue }: QueueKey) => {
  const interval = useRefetchInterval(refetchMillis)
  return useQuery({
    queryKey: ["queues", slug, queue, "has tasks"],
    queryFn: async () => (await readTasks(slug, { query: tasksOf(queue), limit: 1 })).length > 0,
    refetchInterval: ({ state }) => (state.data === true ? false : interval)
  })
}

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
