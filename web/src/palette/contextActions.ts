import { useEffect, useId } from "react"

/** Something that the palette can do with what is selected or open. */
export interface ContextAction {
  readonly id: string
  readonly title: string
  readonly run: () => void
}

const offered = new Map<string, ReadonlyArray<ContextAction>>()

/** What the parts of the page offer now. */
export const readContextActions = (): ReadonlyArray<ContextAction> => [...offered.values()].flat()

/** Offers actions in the palette while the component is on screen. */
export const useContextActions = (actions: ReadonlyArray<ContextAction>): void => {
  const owner = useId()
  useEffect(() => {
    offered.set(owner, actions)
  })
  useEffect(() => () => void offered.delete(owner), [owner])
}
