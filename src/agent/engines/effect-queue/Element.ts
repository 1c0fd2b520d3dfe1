import { Context } from "effect"
import { canonicalize, type JsonInput } from "../../../domain/kernel/CanonicalJson.ts"

/** A value that a store can keep. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** The stored form of a task: its value and its parent. */
export interface Element {
  readonly "svc:task": 1
  /** The value as encoded by the queue's schema. */
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

/** An element that was offered without the wrapper is its own value. */
export const readElement = (stored: unknown): Element => {
  if (typeof stored === "object" && stored !== null && "svc:task" in stored && "value" in stored) {
    return stored as Element // only `makeElement` writes this member
  }
  return makeElement(stored as Json, noParent) // it came out of the store's JSON, or goes into it
}

interface Lineage {
  readonly id: string | null
  readonly root: string | null
}

interface RunningTask extends Lineage {
  readonly reportProgress: (value: JsonInput) => void
}

const noParent: RunningTask = { id: null, root: null, reportProgress: () => undefined }

/** The task whose handler this fiber runs: tasks offered inside it are its children. */
export class CurrentTask extends Context.Reference<CurrentTask>()("svc/agent/effect-queue/CurrentTask", {
  defaultValue: () => noParent
}) {}

const isArray: (value: Json) => value is ReadonlyArray<Json> = Array.isArray

/** A value as arguments: an object's fields, or an array's items. */
export const argumentsOf = (
  value: Json
): { readonly args: ReadonlyArray<Json>; readonly kwargs: { readonly [name: string]: Json } } =>
  isArray(value)
    ? { args: value, kwargs: {} }
    : typeof value === "object" && value !== null
    ? { args: [], kwargs: value }
    : { args: [value], kwargs: {} }

/** The possible values for arguments, the likeliest first; none when positional and named ones are mixed. */
export const candidateValuesOf = (
  args: ReadonlyArray<JsonInput>,
  kwargs: { readonly [name: string]: JsonInput }
): ReadonlyArray<Json> => {
  const positional = args.map(toPlainJson)
  const named = toPlainJson(kwargs)
  const [first] = positional
  if (Object.keys(kwargs).length > 0) return args.length === 0 ? [named] : []
  return first === undefined ? [named, positional] : args.length === 1 ? [first, positional] : [positional]
}

// The cast: printed JSON parses as JSON.
const toPlainJson = (value: JsonInput): Json => JSON.parse(canonicalize(value)) as Json
