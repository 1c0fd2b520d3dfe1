/** Reads the parameters of a page's address: what is no value of a parameter counts as absent. */

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** The parameters that have a value. */
export const present = <A extends object>(params: A): Present<A> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Present<A> // the same keys

export const oneOf = <A extends string | number>(known: ReadonlyArray<A>, value: unknown): A | undefined =>
  known.find((one) => one === value)

export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

export const onlyTrue = (value: unknown): true | undefined => (value === true ? true : undefined)
