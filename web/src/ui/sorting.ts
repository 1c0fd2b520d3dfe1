/** What a column's rows are sorted by. Rows without a value come last, in both directions. */
export interface Sorting<A> {
  /** In the address; with a minus before it, the largest value comes first. */
  readonly key: string
  readonly valueOf: (row: A) => string | number | null
  /** The direction of the first press of its head: numbers and times begin with the largest. */
  readonly isLargestFirst?: boolean
}

/** A time as a value to sort by. */
export const millisOf = (at: string | null): number | null => at === null ? null : Date.parse(at)

const collator = new Intl.Collator(undefined, { numeric: true })

const compare = (one: string | number, other: string | number): number =>
  typeof one === "number" && typeof other === "number" ? one - other : collator.compare(String(one), String(other))

/** The rows as `sort` says; as they are where no sorting has this name. Equal rows keep their order. */
export const sortRows = <A>(
  rows: ReadonlyArray<A>,
  sortings: ReadonlyArray<Sorting<A>>,
  sort: string | undefined
): ReadonlyArray<A> => {
  const sorting = sortings.find(({ key }) => key === sort || `-${key}` === sort)
  if (sorting === undefined) return rows
  const direction = sort === sorting.key ? 1 : -1
  return rows.toSorted((one, other) => {
    const [left, right] = [sorting.valueOf(one), sorting.valueOf(other)]
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1
    return direction * compare(left, right)
  })
}

/** What a press of the column's head sorts by: the other direction where it is sorted by already. */
export const nextSort = (
  { isLargestFirst = false, key }: Omit<Sorting<never>, "valueOf">,
  sort: string | undefined
) => {
  const [first, second] = isLargestFirst ? [`-${key}`, key] : [key, `-${key}`]
  return sort === first ? second : first
}

/** Whether each word of the text is in one of the row's texts, in any case. */
export const hasWords = (text: string, rowTexts: ReadonlyArray<string | null>): boolean => {
  const all = rowTexts.join("\n").toLowerCase()
  return text.toLowerCase().split(/\s+/).every((word) => all.includes(word))
}
