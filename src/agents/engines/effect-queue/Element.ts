import { Context } from "effect"
import { canonicalize, type JsonInput } from "../../../domain/CanonicalJson.ts"

/** What a store can keep. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** What stands in the store for a task: its value, and whose child it is. */
export interface Element {
  readonly "svc:task": 1
  /** As the queue's schema encodes it. */
  readonly value: Json
  readonly parent: string | null
  readonly root: string | null
}

export const makeElement = (value: Json, { id, root }: Lineage): Element => ({
  "svc:task": 1,
  value,
  parent: id,
  root
})

/** An element that was offered past the wrapper is its own value. */
export const readElement = (stored: unknown): Element => {
  if (typeof stored === "object" && stored !== null && "svc:task" in stored && "value" in stored) {
    return stored as Element // written by `elementOf`, and by nobody else under this name
  }
  return makeElement(stored as Json, noParent) // it came out of the store's JSON, or goes into it
}

interface Lineage {
  readonly id: string | null
  readonly root: string | null
}

const noParent: Lineage = { id: null, root: null }

/** The task whose handler this fiber runs: what is offered in there is its child. */
export class CurrentTask extends Context.Reference<CurrentTask>()("svc/agent/effect-queue/CurrentTask", {
  defaultValue: () => noParent
}) {}

const isArray: (value: Json) => value is ReadonlyArray<Json> = Array.isArray

/** The arguments that a value is shown as: an object's are its fields, an array's its items. */
export const argumentsOf = (
  value: Json
): { readonly args: ReadonlyArray<Json>; readonly kwargs: { readonly [name: string]: Json } } =>
  isArray(value)
    ? { args: value, kwargs: {} }
    : typeof value === "object" && value !== null
    ? { args: [], kwargs: value }
    : { args: [value], kwargs: {} }

/** The values that arguments may stand for, the likeliest first; none when positional and named ones are mixed. */
export const candidateValuesOf = (args: ReadonlyArray<JsonInput>, kwargs: { readonly [name: string]: JsonInput }): ReadonlyArray<Json> => {
  const positional = args.map(toPlainJson)
  const named = toPlainJson(kwargs)
  const [first] = positional
  if (Object.keys(kwargs).length > 0) return args.length === 0 ? [named] : []
  return first === undefined ? [named, positional] : args.length === 1 ? [first, positional] : [positional]
}

// The cast: what is printed as JSON is read as JSON.
const toPlainJson = (value: JsonInput): Json => JSON.parse(canonicalize(value)) as Json
