/** Reads the parameters of a page's address: what is no value of a parameter counts as absent. */

/**
 * As text, each of them; of a repeated one the last. The router's own reader would take `?q=1598` for a number and
 * `?q=true` for a flag.
 */
export const parseSearch = (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text))

export const stringifySearch = (search: Record<string, unknown>): string => {
  const entries = Object.entries(search).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]])
  const text = new URLSearchParams(entries).toString()
  return text === "" ? "" : `?${text}`
}

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/**
 * The parameters of a route. Absent ones stay members, with `undefined`: the router lays this object over what the address
 * has, so a value that was refused would otherwise come back from there.
 */
export const present = <A extends object>(params: A): Present<A> => params

/** Whether no parameter has a value. */
export const isEmptySearch = (search: object): boolean => Object.values(search).every((value) => value === undefined)

/** `value` is text from the address, or what a link in the program gives. */
export const oneOf = <A extends string | number>(known: ReadonlyArray<A>, value: unknown): A | undefined =>
  known.find((one) => String(one) === String(value))

export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** `?wall=1`: the page is for a screen on a wall. */
export interface WallSearch {
  readonly wall?: 1 | undefined
}

export const wallIn = ({ wall }: Record<string, unknown>): WallSearch => present({ wall: oneOf([1], wall) })

export const onlyTrue = (value: unknown): true | undefined => (value === true || value === "true" ? true : undefined)
