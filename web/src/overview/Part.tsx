import type { ReactNode } from "react"
import { ListFrame, type ListQuery } from "../ui/ListFrame.tsx"

/** Of eight rows and their head: what the list takes once it is read. */
const listHeight = "min-h-80.5"

/** A titled list of the overview, and what it says while there is nothing in it. */
export const Part = ({ children, empty, isEmpty, query, title }: {
  readonly title: string
  readonly query: ListQuery
  readonly isEmpty: boolean
  readonly empty: string
  readonly children: ReactNode
}) => (
  // its table is the landmark of this title
  <div className="@container min-w-0">
    <h2 className="px-4 pb-2 font-semibold">{title}</h2>
    <div className={query.data === undefined ? listHeight : ""}>
      <ListFrame list={query} isEmpty={isEmpty} empty={<p className="px-4 text-soft">{empty}</p>}>
        {children}
      </ListFrame>
    </div>
  </div>
)
