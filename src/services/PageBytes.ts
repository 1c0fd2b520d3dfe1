/** Pages and slices of files that are bounded by bytes and not by rows alone: one row may have a megabyte. */

/** Bytes of values that one page carries, but for its first row, which may have more. */
export const pageBytes = 4 * 1024 * 1024

/** Bytes of values that are read at once for a file. */
export const sliceBytes = 1024 * 1024

/** A row that is to be read, and the bytes of its values. */
export interface RowSize {
  readonly id: string
  readonly bytes: number
}

/** The rows from the first one on that fit together; at least one. */
export const takeWithin = (rows: ReadonlyArray<RowSize>, maxBytes: number): ReadonlyArray<RowSize> => {
  let sum = 0
  const beyond = rows.findIndex(({ bytes }, index) => {
    sum += bytes
    return sum > maxBytes && index > 0
  })
  return beyond === -1 ? rows : rows.slice(0, beyond)
}

/** All rows in their order, in groups that fit together. */
export const groupWithin = (rows: ReadonlyArray<RowSize>, maxBytes: number): ReadonlyArray<ReadonlyArray<RowSize>> => {
  const groups: Array<ReadonlyArray<RowSize>> = []
  for (let at = 0; at < rows.length;) {
    const group = takeWithin(rows.slice(at), maxBytes)
    groups.push(group)
    at += group.length
  }
  return groups
}
