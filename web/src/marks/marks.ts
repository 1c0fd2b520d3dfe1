import { queryOptions, useQuery } from "@tanstack/react-query"
import { useMemo, useSyncExternalStore } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"

export type Mark = Schemas["Mark"]
export type MarkKind = Mark["kind"]

/** The most telling first: of several in one place, the first one gives its shape. */
export const markKinds: ReadonlyArray<MarkKind> = ["deploy", "maintenance", "missed_run", "rule", "command"]

const refetchMillis = 30_000

/** What happened in the project since then, in epoch milliseconds. */
const marksQuery = (slug: string, from: number) =>
  queryOptions({
    queryKey: ["marks", slug, from],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/marks", {
          params: { path: { slug }, query: { from: new Date(from).toISOString() } }
        })
      )
  })

const storageKey = "svc.hiddenMarks"

const readHidden = (): ReadonlySet<MarkKind> => {
  const stored = localStorage.getItem(storageKey)?.split(",") ?? []
  return new Set(markKinds.filter((kind) => stored.includes(kind)))
}

let hiddenKinds: ReadonlySet<MarkKind> | undefined
const watchers = new Set<() => void>()

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** The kinds that this browser hides on every chart. */
const getHidden = (): ReadonlySet<MarkKind> => hiddenKinds ??= readHidden()

export const toggleKind = (kind: MarkKind) => {
  const next = new Set(getHidden())
  if (!next.delete(kind)) next.add(kind)
  hiddenKinds = next
  localStorage.setItem(storageKey, [...next].join(","))
  for (const each of watchers) each()
}

/** The marks of a chart. */
export interface ShownMarks {
  readonly slug: string
  readonly marks: ReadonlyArray<Mark>
}

interface Marks {
  /** Without the hidden kinds. */
  readonly shown: ShownMarks
  /** Those that occur, hidden or not. */
  readonly kinds: ReadonlyArray<MarkKind>
  readonly hidden: ReadonlySet<MarkKind>
}

/** What happened in the project since the first bucket of its charts; null without a project. */
export const useMarks = (slug: string | undefined, from: number | undefined): Marks | null => {
  const hidden = useSyncExternalStore(watch, getHidden)
  const { data } = useQuery({
    ...marksQuery(slug ?? "", from ?? 0),
    enabled: slug !== undefined && from !== undefined,
    placeholderData: (previous) => previous,
    refetchInterval: useRefetchInterval(refetchMillis)
  })
  return useMemo(() => {
    if (slug === undefined) return null
    const items = data?.items ?? []
    const occurring = new Set(items.map(({ kind }) => kind))
    return {
      shown: { slug, marks: items.filter(({ kind }) => !hidden.has(kind)) },
      kinds: markKinds.filter((kind) => occurring.has(kind)),
      hidden
    }
  }, [slug, data, hidden])
}
