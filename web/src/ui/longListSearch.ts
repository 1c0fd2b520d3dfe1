import { present, textIn } from "../searchParams.ts"
import { type OldRowsSearch, parseOldRows } from "./RecentRows.tsx"

/** What the address of a page with a `LongList` says of it. */
export interface LongListSearch extends OldRowsSearch {
  /** Words that the rows have. */
  readonly text?: string
  /** The name of a column; with a minus before it, from its largest value down. */
  readonly sort?: string
}

export const parseLongList = (search: Record<string, unknown>): LongListSearch => ({
  ...parseOldRows(search),
  ...present({ text: textIn(search.text), sort: textIn(search.sort) })
})
