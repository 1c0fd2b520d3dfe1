import { useEffect, useMemo, useRef } from "react"
import { keepList, type Place, readEntryKey } from "./keptLists.ts"
import type { TaskList } from "./useTaskList.ts"

const topOfList: Place = { scrollTop: 0, focusedId: null }

/** Where the person is in the list. What the person sees of it is kept for the way back when the page is left. */
export const useKeptPlace = (
  list: TaskList,
  { line, personId, query, selected, slug }: {
    readonly personId: string
    readonly slug: string
    /** What the person has typed; the query is the valid part of it. */
    readonly line: string
    readonly query: string
    readonly selected: ReadonlySet<string>
  }
): Place => {
  const place = useMemo(
    (): Place => ({ ...(list.rounds === 0 ? list.kept?.place ?? topOfList : topOfList) }),
    [list.kept, list.key, list.rounds]
  )
  const entry = useRef("")
  useEffect(() => {
    entry.current = readEntryKey()
  }, [slug, line, query])
  const keep = () => {
    const { pages, readUnshown } = list
    if (pages === undefined) return
    const { changes, isOutdated } = readUnshown()
    keepList(entry.current, {
      personId,
      slug,
      query,
      pages,
      place,
      selected,
      changes,
      isOutdated: isOutdated || list.isOutdated || list.newCount > 0
    })
  }
  const leave = useRef(keep)
  leave.current = keep
  useEffect(() => () => leave.current(), [])
  return place
}
