import { Either } from "effect"
import { canonicalize, type JsonInput } from "../../../domain/kernel/CanonicalJson.ts"
import { ActionFailed } from "../../runtime/Engine.ts"

/** A task's arguments. */
export interface Arguments {
  readonly args: ReadonlyArray<JsonInput>
  readonly kwargs: { readonly [name: string]: JsonInput }
}

/**
 * A job's value as arguments: an object has the named ones, an array the positional ones, any other value is the only
 * one.
 */
export const argumentsOf = (data: unknown): Arguments => {
  if (data === undefined) return { args: [], kwargs: {} }
  const value = asJson(data)
  if (isList(value)) return { args: value, kwargs: {} }
  // The assertion: an object that is not an array has named members, whatever they are.
  if (typeof value === "object" && value !== null) return { args: [], kwargs: value as Arguments["kwargs"] }
  return { args: [value], kwargs: {} }
}

/**
 * The job's value for these arguments. `like` is the data of the job that they replace: where that was neither object
 * nor array, a single positional argument becomes the value itself again.
 */
export const dataOf = ({ args, kwargs }: Arguments, like?: unknown): Either.Either<unknown, ActionFailed> => {
  const named = Object.keys(kwargs).length
  if (args.length > 0 && named > 0) {
    return Either.left(
      new ActionFailed({ message: "a BullMQ job has one value: give args (an array) or kwargs (an object), not both" })
    )
  }
  const single = like !== undefined && (typeof like !== "object" || like === null) && args.length === 1
  // as text: JSON.stringify refuses bigints, and a worker would read them as floats anyway
  return Either.right(JSON.parse(canonicalize(single ? args[0]! : args.length > 0 ? args : kwargs)))
}

/**
 * A value of the application for an event. The assertion: the runtime encodes any value as `JSON.stringify` does, and
 * so does BullMQ.
 */
export const asJson = (value: unknown): JsonInput => value as JsonInput

const isList: (value: JsonInput) => value is ReadonlyArray<JsonInput> = Array.isArray
