import { oneOf, present, textIn } from "../searchParams.ts"

/** The search parameter of pages with rows that were not seen for a week. */
export interface OldRowsSearch {
  readonly old?: "hidden"
}

export const parseOldRows = ({ old }: Record<string, unknown>): OldRowsSearch =>
  present({ old: oneOf(["hidden"], old) })

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
