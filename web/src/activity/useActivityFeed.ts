import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"

type Page = Schemas["ActivityList"]

export interface FeedFilter {
  /** Without it, all projects of the person. */
  readonly slug?: string | undefined
  readonly prefix?: string | undefined
  readonly person?: string | undefined
  /** Also what agents and the program did. */
  readonly hasMachines: boolean
}

const pageSize = 50
/** A person has 60 reads a minute, over all tabs. */
const pollMillis = 15_000
/** The most that the API gives at once: further new rows follow the next time. */
const maxNew = 200

const readFeed = (
  { hasMachines, person, prefix, slug }: FeedFilter,
  place: { readonly before_cursor?: string; readonly since_cursor?: string; readonly limit: number }
) =>
  unwrap(
    api.GET("/api/v1/activity", {
      params: {
        query: {
          ...place,
          ...(!hasMachines && { by: "people" }),
          ...(slug !== undefined && { project_slug: slug }),
          ...(prefix !== undefined && { action_prefix: prefix }),
          ...(person !== undefined && { user_id: person })
        }
      }
    })
  )

/** Rows newest first, read on demand; newer ones are counted, and shown when the person asks for them. */
export const useActivityFeed = (filter: FeedFilter) => {
  const queries = useQueryClient()
  const refetchInterval = useRefetchInterval(pollMillis)
  const key = [
    "activity",
    filter.slug ?? null,
    filter.prefix ?? null,
    filter.person ?? null,
    filter.hasMachines
  ] as const
  const list = useInfiniteQuery({
    queryKey: key,
    initialPageParam: null as string | null, // the place of the first page
    queryFn: ({ pageParam }) =>
      readFeed(filter, { limit: pageSize, ...(pageParam !== null && { before_cursor: pageParam }) }),
    getNextPageParam: ({ next_before_cursor }) => next_before_cursor,
    // reading every page again would spend the person's rate; what is new comes by the query below
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false
  })
  const newest = list.data?.pages[0]?.newest_cursor ?? null
  const { data: news } = useQuery({
    queryKey: ["activity-news", ...key, newest],
    queryFn: () => readFeed(filter, { limit: maxNew, ...(newest !== null && { since_cursor: newest }) }),
    enabled: list.data !== undefined,
    initialData: { items: [], newest_cursor: newest, next_before_cursor: null } satisfies Page,
    staleTime: pollMillis,
    refetchInterval
  })
  const showNews = () =>
    queries.setQueryData<InfiniteData<Page, string | null>>(
      key,
      (known) => known && { pages: [news, ...known.pages], pageParams: [null, ...known.pageParams] }
    )
  return { ...list, rows: list.data?.pages.flatMap(({ items }) => items) ?? [], newCount: news.items.length, showNews }
}
