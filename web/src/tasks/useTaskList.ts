import { focusManager, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { type LiveTask, useLiveChanges, useLiveStatus } from "../api/live.ts"
import { findKeptList, type Pages, type TaskPage } from "./keptLists.ts"
import { canSearchOn, countUnfinished, unfinishedPages } from "./search.ts"

export type Task = Schemas["Task"]

const pageSize = 100

/** Live changes are shown together, at most this often: a busy project changes hundreds of tasks a second. */
const flushMillis = 250

/** The stream has of a progress the percentage alone, which is all that a row shows. */
const applyChange = (task: Task, { percent, ...change }: LiveTask): Task => ({
  ...task,
  ...change,
  progress: percent === null ? null : { percent, value: null, at: change.updated_at }
})

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
        return change === undefined || change.updated_at < task.updated_at ? task : applyChange(task, change)
      })
    }
  })
  return hasChanged ? { ...pages, pages: changedPages } : pages
}

/** More new tasks than this are not counted. */
export const maxNewCount = 999
/** The brain is asked which new tasks match at most this often, and about so many at a time. */
const matchMillis = 1_000
const maxMatched = 100

/** Those of the tasks that match. The brain decides: the stream has no errors, and only the brain reads queries. */
const findMatches = async (slug: string, query: string, ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  if (query === "") return ids
  const selection = await unwrap(
    api.GET("/api/v1/projects/{slug}/task-matches", {
      params: { path: { slug }, query: { query, ids: ids.join(",") } }
    })
  )
  return selection.ids
}

const watchVisible = (watcher: () => void) => focusManager.subscribe(watcher)

/** A list that was read so shortly before the stream began is read again without a question. */
const recentMillis = 5_000

/**
 * The tasks that match, newest first, page by page. A task on screen changes in place; a new one is counted in `newCount`
 * and comes with `showNew`, so that no row moves under the pointer.
 */
export const useTaskList = (personId: string, slug: string, query: string) => {
  const queries = useQueryClient()
  const key = useMemo(() => ["tasks", slug, query] as const, [slug, query])
  const kept = useMemo(() => findKeptList(personId, slug, query), [personId, slug, query])
  const list = useInfiniteQuery({
    queryKey: key,
    initialPageParam: null as string | null, // the cursor of the first page
    queryFn: ({ pageParam, signal }) =>
      unwrap(api.GET("/api/v1/projects/{slug}/tasks", {
        signal,
        params: {
          path: { slug },
          query: {
            ...(query !== "" && { query }),
            limit: pageSize,
            ...(pageParam === null ? {} : { cursor: pageParam })
          }
        }
      })) as Promise<TaskPage>, // without `format` the response is a page
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // the live stream brings the changes while the list is on screen, and nothing does afterwards
    staleTime: Infinity,
    gcTime: 0,
    ...(kept !== null && { initialData: kept.pages, initialDataUpdatedAt: 0 }),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false
  })
  // the brain ends a page of a slow search after half a second, perhaps with no task: the search continues by itself for a
  // while, and then when the person asks
  const isVisible = useSyncExternalStore(watchVisible, () => focusManager.isFocused())
  const isPaused = useLiveStatus() === "paused"
  const [requested, setRequested] = useState({ key, pages: 0 })
  const pages = list.data?.pages ?? []
  const searchedTo = list.hasNextPage ? pages.at(-1)?.searched_to ?? null : null
  const requestedPages = requested.key === key ? requested.pages : 0
  const isSearchingOn = searchedTo !== null && canSearchOn(pages, isPaused ? 0 : unfinishedPages, requestedPages)
  const { fetchNextPage } = list
  /** Reads the next page, unless only the person may ask for it. */
  const readOn = () => {
    if (!list.hasNextPage || list.isFetching || list.isError || !isVisible) return
    if (searchedTo === null || isSearchingOn) void fetchNextPage()
  }
  const searchOn = () => {
    setRequested({ key, pages: countUnfinished(pages) + unfinishedPages })
    void fetchNextPage()
  }
  const tasks = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const loadedIds = useMemo(() => new Set(tasks.map(({ id }) => id)), [tasks])

  const [newIds, setNewIds] = useState<ReadonlySet<string>>(new Set())
  const [isOutdated, setOutdated] = useState(false)
  const changes = useRef(new Map<string, LiveTask>())
  /** Tasks beyond the list that have changed, and may match now. */
  const candidates = useRef(new Set<string>())
  useEffect(() => {
    setNewIds(new Set())
    setOutdated(kept?.isOutdated ?? false)
    changes.current = new Map(kept?.changes.map((task) => [task.id, task]))
    candidates.current.clear()
  }, [key, kept])

  const latest = useRef({ list, loadedIds, newIds, tasks })
  latest.current = { list, loadedIds, newIds, tasks }

  useEffect(() => {
    const timer = setInterval(() => {
      const { list, loadedIds, newIds, tasks } = latest.current
      // a response that arrives overwrites what is changed while it is read, so changes wait for it
      if (changes.current.size === 0 || list.isFetching || list.data === undefined) return
      const flushed = changes.current
      changes.current = new Map()
      queries.setQueryData<Pages>(key, (pages) => applyChanges(pages, flushed))
      const oldestId = list.hasNextPage ? tasks.at(-1)?.id ?? "" : ""
      if (newIds.size + candidates.current.size > maxNewCount) return
      for (const { id } of flushed.values()) {
        if (!loadedIds.has(id) && !newIds.has(id) && id > oldestId) candidates.current.add(id)
      }
    }, flushMillis)
    return () => clearInterval(timer)
  }, [key, queries])

  useEffect(() => {
    let isCurrent = true
    let isMatching = false
    const matchCandidates = async () => {
      const ids = [...candidates.current].slice(-maxMatched)
      if (isMatching || ids.length === 0) return
      for (const id of ids) candidates.current.delete(id)
      isMatching = true
      try {
        const found = await findMatches(slug, query, ids)
        const { loadedIds } = latest.current
        const arrived = found.filter((id) => !loadedIds.has(id))
        if (isCurrent && arrived.length > 0) setNewIds((known) => new Set([...known, ...arrived]))
      } catch {
        for (const id of ids) candidates.current.add(id) // the brain does not respond now; the next round asks again
      } finally {
        isMatching = false
      }
    }
    const timer = setInterval(() => void matchCandidates(), query === "" ? flushMillis : matchMillis)
    return () => {
      isCurrent = false
      clearInterval(timer)
    }
  }, [slug, query])

  const [begun, setBegun] = useState({ key, rounds: 0 })
  const rounds = begun.key === key ? begun.rounds : 0
  /** Begins the list again with its first page. */
  const showNew = useCallback(async () => {
    setNewIds(new Set())
    setOutdated(false)
    setBegun({ key, rounds: rounds + 1 })
    candidates.current.clear()
    queries.setQueryData<Pages>(
      key,
      (known) => known && { pages: known.pages.slice(0, 1), pageParams: known.pageParams.slice(0, 1) }
    )
    await queries.refetchQueries({ queryKey: key, exact: true })
  }, [key, queries, rounds])

  /** What the stream has reported and the list does not show yet. */
  const readUnshown = useCallback(
    () => ({ changes: [...changes.current.values()], isOutdated: candidates.current.size > 0 }),
    []
  )

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

  return {
    ...list,
    key,
    /** How the list was left, where the person came back to it. */
    kept,
    /** How many times the person has begun this list again. */
    rounds,
    readUnshown,
    pages: list.data as Pages | undefined, // its page parameters are the cursors
    tasks,
    newCount: newIds.size,
    isOutdated,
    showNew,
    /** How far back an unfinished search has come; null: it is at the end, or the next page is no search. */
    searchedTo,
    /** The searchable path whose index was read; null: the query was compared with the tasks. */
    index: pages[0]?.index ?? null,
    isSearchingOn,
    readOn,
    searchOn
  }
}

export type TaskList = ReturnType<typeof useTaskList>
