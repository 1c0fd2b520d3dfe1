import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { type LiveTask, useLiveChanges } from "../api/live.ts"
import { matches, type TaskQuery, toParameters } from "./query.ts"

export type Task = Schemas["Task"]

const pageSize = 100

interface TaskPage {
  readonly items: ReadonlyArray<Task>
  readonly next_cursor: string | null
}

/** Live changes are shown together, at most this often: a busy project changes hundreds of tasks a second. */
const flushMillis = 250

type Pages = InfiniteData<TaskPage, string | null>

const applyChanges = (pages: Pages | undefined, changes: ReadonlyMap<string, LiveTask>): Pages | undefined => {
  if (pages === undefined) return pages
  let hasChanged = false
  const changedPages = pages.pages.map((page) => {
    if (!page.items.some(({ id }) => changes.has(id))) return page
    hasChanged = true
    return {
      ...page,
      items: page.items.map((task) => {
        const change = changes.get(task.id)
        return change === undefined || change.updated_at < task.updated_at ? task : { ...task, ...change }
      })
    }
  })
  return hasChanged ? { ...pages, pages: changedPages } : pages
}

/** More new tasks than this are not counted. */
export const maxNewCount = 999
/** A list that was read so shortly before the stream began is read again without a question. */
const recentMillis = 5_000

/**
 * The tasks that match, newest first, page by page. A task on screen changes in place; a new one is counted in `newCount`
 * and comes with `showNew`, so that no row moves under the pointer.
 */
export const useTaskList = (slug: string, query: TaskQuery) => {
  const queries = useQueryClient()
  const key = useMemo(() => ["tasks", slug, query] as const, [slug, query])
  const list = useInfiniteQuery({
    queryKey: key,
    initialPageParam: null as string | null, // the cursor of the first page
    queryFn: ({ pageParam, signal }) =>
      unwrap(api.GET("/api/v1/projects/{slug}/tasks", {
        signal,
        params: {
          path: { slug },
          query: {
            ...toParameters(query, Date.now()),
            limit: pageSize,
            ...(pageParam === null ? {} : { cursor: pageParam })
          }
        }
      })) as Promise<TaskPage>, // without `format` the answer is a page
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // the live stream brings the changes while the list is on screen, and nothing does afterwards
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false
  })
  const tasks = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const loadedIds = useMemo(() => new Set(tasks.map(({ id }) => id)), [tasks])

  const [newIds, setNewIds] = useState<ReadonlySet<string>>(new Set())
  const [isOutdated, setOutdated] = useState(false)
  const changes = useRef(new Map<string, LiveTask>())
  useEffect(() => {
    setNewIds(new Set())
    setOutdated(false)
    changes.current.clear()
  }, [key])

  const latest = useRef({ list, loadedIds, query, tasks })
  latest.current = { list, loadedIds, query, tasks }

  useEffect(() => {
    const timer = setInterval(() => {
      const { list, loadedIds, query, tasks } = latest.current
      // an answer that arrives overwrites what is changed while it is read, so changes wait for it
      if (changes.current.size === 0 || list.isFetching || list.data === undefined) return
      const flushed = changes.current
      changes.current = new Map()
      queries.setQueryData<Pages>(key, (pages) => applyChanges(pages, flushed))
      const oldestId = list.hasNextPage ? tasks.at(-1)?.id ?? "" : ""
      const arrived = [...flushed.values()]
        .filter((task) => !loadedIds.has(task.id) && task.id > oldestId && matches(query, task))
        .map(({ id }) => id)
      if (arrived.length === 0) return
      setNewIds((known) => (known.size > maxNewCount ? known : new Set([...known, ...arrived])))
    }, flushMillis)
    return () => clearInterval(timer)
  }, [key, queries])

  const showNew = useCallback(async () => {
    setNewIds(new Set())
    setOutdated(false)
    await queries.resetQueries({ queryKey: key })
  }, [key, queries])

  useLiveChanges(
    useMemo(() => ({
      onTask: (task) => void changes.current.set(task.id, task),
      onGap: () => {
        const { list } = latest.current
        if (Date.now() - list.dataUpdatedAt < recentMillis) void list.refetch()
        else if (list.data !== undefined) setOutdated(true)
      }
    }), [])
  )
  // an empty list has no row that could move
  useEffect(() => {
    if (tasks.length === 0 && (newIds.size > 0 || isOutdated) && !list.isFetching) void showNew()
  }, [tasks.length, newIds.size, isOutdated, list.isFetching, showNew])

  return { ...list, tasks, newCount: newIds.size, isOutdated, showNew }
}
