/** Limits pages and slices of files by bytes as well as rows, because one row can have a megabyte. */

/** Maximum bytes of values in one page; its first row may have more. */
export const pageBytes = 4 * 1024 * 1024

/** Maximum bytes of values that a page reads at once; the rest is read as the response is sent. */
export const pageSliceBytes = 256 * 1024

/** Maximum bytes of values that an export reads at once. */
export const sliceBytes = 1024 * 1024

/** The id of a row and the bytes of its values. */
export interface RowSize {
  readonly id: string
  readonly bytes: number
}

/** The longest prefix of the rows that fits. */
export const takeUpTo = (rows: ReadonlyArray<RowSize>, maxBytes: number): ReadonlyArray<RowSize> => {
  let sum = 0
  const beyond = rows.findIndex(({ bytes }) => (sum += bytes) > maxBytes)
  return beyond === -1 ? rows : rows.slice(0, beyond)
}

/** The longest prefix of the rows that fits; at least one row. */
export const takeWithin = (rows: ReadonlyArray<RowSize>, maxBytes: number): ReadonlyArray<RowSize> => {
  const fitting = takeUpTo(rows, maxBytes)
  return fitting.length === 0 ? rows.slice(0, 1) : fitting
}

/** All rows in order, in groups that fit. */
export const groupWithin = (rows: ReadonlyArray<RowSize>, maxBytes: number): ReadonlyArray<ReadonlyArray<RowSize>> => {
  const groups: Array<ReadonlyArray<RowSize>> = []
  for (let index = 0; index < rows.length;) {
    const group = takeWithin(rows.slice(index), maxBytes)
    groups.push(group)
    index += group.length
  }
  return groups
}
