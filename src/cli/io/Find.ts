import { Effect, Schema } from "effect"
import { caseInsensitiveId } from "../../domain/kernel/Id.ts"
import { CliError } from "../program/Explain.ts"
import { escapeText } from "./TerminalText.ts"

/** The first of the found rows; `given` is what a person typed for `what`, such as a channel. */
export const requireFirst = <A>([first]: ReadonlyArray<A>, what: string, given: string): Effect.Effect<A, CliError> =>
  first === undefined
    ? new CliError({ message: `no such ${what}: ${escapeText(given)}. svc ${what}s list shows those of the project` })
    : Effect.succeed(first)

/** The only one of the found rows. */
export const requireOnly = <A extends { readonly id: string }>(
  found: ReadonlyArray<A>,
  what: string,
  given: string
): Effect.Effect<A, CliError> =>
  found.length < 2 ? requireFirst(found, what, given) : new CliError({
    usage: true,
    message: `several ${what}s are named ${escapeText(given)}: name one by its id, ${
      found.map(({ id }) => id).join(" or ")
    }`
  })

/** Whether a row is the one that a person typed the name or id of. */
export const isNamed = (given: string) => ({ id, name }: { readonly id: string; readonly name: string }): boolean =>
  name === given || id === given.toLowerCase()

/** The id that a person typed for `what`, such as a bulk job. An invalid id cannot name one. */
export const parseId = <A extends string>(
  id: Schema.Schema<A, string>,
  what: string,
  given: string
): Effect.Effect<A, CliError> =>
  Effect.mapError(
    Schema.decode(caseInsensitiveId(id))(given),
    () => new CliError({ message: `no such ${what}: ${escapeText(given)}` })
  )
