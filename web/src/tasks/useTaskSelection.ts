import { useCallback, useEffect, useState } from "react"
import type { TaskList } from "./useTaskList.ts"

/** Which rows a person has selected: of one list, and as it was where the person comes back to it. */
export const useTaskSelection = (list: TaskList, isPartial: boolean) => {
  const [ids, setIds] = useState<ReadonlySet<string>>(list.kept?.selected ?? new Set())
  const [isAllMatching, setAllMatching] = useState(false)
  const [selectedIn, setSelectedIn] = useState(list.key)
  if (selectedIn !== list.key) {
    setSelectedIn(list.key)
    setIds(list.kept?.selected ?? new Set())
    setAllMatching(false)
  }
  useEffect(() => setAllMatching(false), [isPartial])
  const select = useCallback((change: (known: ReadonlySet<string>) => ReadonlySet<string>) => {
    setAllMatching(false)
    setIds(change)
  }, [])
  const clear = useCallback(() => select(() => new Set()), [select])
  const toggle = useCallback(
    (id: string) =>
      select((known) => {
        const next = new Set(known)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [select]
  )
  return {
    ids,
    tasks: list.tasks.filter(({ id }) => ids.has(id)),
    clear,
    toggle,
    selectLoaded: (isSelected: boolean) => select(() => new Set(isSelected ? list.tasks.map(({ id }) => id) : [])),
    /** All that match, also tasks that are not loaded. */
    isAllMatching,
    selectMatching: isPartial ? null : () => setAllMatching(true)
  }
}
