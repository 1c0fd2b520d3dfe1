import { Either } from "effect"
import { canonicalize, type JsonInput } from "../../../domain/CanonicalJson.ts"
import { ActionFailed } from "../../runtime/Engine.ts"

/** What a task is called with. */
export interface Arguments {
  readonly args: ReadonlyArray<JsonInput>
  readonly kwargs: { readonly [name: string]: JsonInput }
}

/**
 * A job's one value as arguments: an object is the named ones, an array the positional ones, anything else the only
 * one.
 */
export const argumentsOf = (data: unknown): Arguments => {
  if (data === undefined) return { args: [], kwargs: {} }
  const value = asJson(data)
  if (isList(value)) return { args: value, kwargs: {} }
  // The assertion: an object that is no array has named members, whatever they are.
  if (typeof value === "object" && value !== null) return { args: [], kwargs: value as Arguments["kwargs"] }
  return { args: [value], kwargs: {} }
}

/**
 * The job's value that stands for these arguments. `like` is the data of the job that they replace: where that was
 * neither object nor array, a single positional argument becomes the value itself again.
 */
export const dataOf = ({ args, kwargs }: Arguments, like?: unknown): Either.Either<unknown, ActionFailed> => {
  const named = Object.keys(kwargs).length
  if (args.length > 0 && named > 0) {
    return Either.left(
      new ActionFailed({ message: "a BullMQ job has one value: give args (an array) or kwargs (an object), not both" })
    )
  }
  const single = like !== undefined && (typeof like !== "object" || like === null) && args.length === 1
  // by way of text: integers beyond 2^53 are not for JSON.stringify, and a worker would read them as floats all the
  // same
  return Either.right(JSON.parse(canonicalize(single ? args[0]! : args.length > 0 ? args : kwargs)))
}

/**
 * A value of the app's for an event. The assertion: the runtime writes whatever it is given as `JSON.stringify` would,
 * which is what BullMQ stores.
 */
export const asJson = (value: unknown): JsonInput => value as JsonInput

const isList: (value: JsonInput) => value is ReadonlyArray<JsonInput> = Array.isArray
