/** A column of a row as both drivers return it. */
export type Cell = string | number | null
