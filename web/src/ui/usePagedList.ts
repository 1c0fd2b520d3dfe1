import { useInfiniteQuery } from "@tanstack/react-query"
import { useRefetchInterval } from "../api/live.ts"

interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next_cursor: string | null
}

/** A list that the API gives page by page: all rows that were read so far, and how to read on (`MoreButton`). */
export const usePagedList = <A>({ key, read, refetchMillis }: {
  readonly key: ReadonlyArray<unknown>
  readonly read: (cursor: string | null) => Promise<Page<A>>
  /** All pages that are shown are read again so often. */
  readonly refetchMillis: number
}) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useInfiniteQuery({
    queryKey: key,
    initialPageParam: null as string | null, // the cursor of the first page
    queryFn: ({ pageParam }) => read(pageParam),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval
  })
  return { ...list, rows: list.data?.pages.flatMap(({ items }) => items) ?? [] }
}
