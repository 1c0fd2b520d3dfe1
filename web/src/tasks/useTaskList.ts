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
    staleTime: Infinity, // the live stream brings the changes
    gcTime: 60_000
  })
  const tasks = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])

  const [newIds, setNewIds] = useState<ReadonlySet<string>>(new Set())
  const [isOutdated, setOutdated] = useState(false)
  useEffect(() => {
    setNewIds(new Set())
    setOutdated(false)
  }, [key])

  const changes = useRef(new Map<string, LiveTask>())
  const newestId = tasks[0]?.id ?? ""
  const latest = useRef({ newestId, query })
  latest.current = { newestId, query }

  useEffect(() => {
    const timer = setInterval(() => {
      if (changes.current.size === 0) return
      const flushed = changes.current
      changes.current = new Map()
      queries.setQueryData<Pages>(key, (pages) => applyChanges(pages, flushed))
      const { newestId, query } = latest.current
      const arrived = [...flushed.values()].filter((task) => task.id > newestId && matches(query, task))
      if (arrived.length > 0) setNewIds((known) => new Set([...known, ...arrived.map(({ id }) => id)]))
    }, flushMillis)
    return () => clearInterval(timer)
  }, [key, queries])

  const showNew = useCallback(async () => {
    setNewIds(new Set())
    setOutdated(false)
    changes.current.clear()
    await queries.resetQueries({ queryKey: key })
  }, [key, queries])

  useLiveChanges(
    slug,
    useMemo(() => ({
      onTask: (task) => void changes.current.set(task.id, task),
      onReset: () => setOutdated(true)
    }), [])
  )
  // an empty list has no row that could move
  useEffect(() => {
    if (tasks.length === 0 && (newIds.size > 0 || isOutdated) && !list.isFetching) void showNew()
  }, [tasks.length, newIds.size, isOutdated, list.isFetching, showNew])

  return { ...list, tasks, newCount: newIds.size, isOutdated, showNew }
}
