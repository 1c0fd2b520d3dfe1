import { Effect } from "effect"
import { CliError } from "../program/Explain.ts"
import { hasIdPart } from "./ShortId.ts"
import { escapeText } from "./TerminalText.ts"

/** The most candidates that a message lists. */
const maxCandidates = 8

/** More than one row is meant by what a person typed. */
export const ambiguous = (
  what: string,
  given: string,
  candidates: ReadonlyArray<{ readonly id: string; readonly name: string | null }>
): CliError => {
  const listed = candidates.slice(0, maxCandidates).map(({ id, name }) => (name === null ? id : `${name} (${id})`))
  const others = candidates.length - listed.length
  return new CliError({
    usage: true,
    message: escapeText(
      `${given} is more than one ${what}: ${listed.join(", ")}${others === 0 ? "" : ` and ${others} more`}. ` +
        "Give the id, or more of it"
    )
  })
}

/** What a person typed for a row, and what rows are called. */
export interface Sought<A> {
  /** In the singular, such as channel. */
  readonly what: string
  readonly given: string
  /** The name by which a person knows the row; null where it has none. */
  readonly nameOf: (row: A) => string | null
  /** Where the rows are listed, such as `svc channels list`. */
  readonly listedBy: string
}

export const notFound = ({ given, listedBy, what }: Omit<Sought<never>, "nameOf">): CliError =>
  new CliError({ message: `no such ${what}: ${escapeText(given)}. ${listedBy} shows all` })

/** The only row of the id or name that a person typed, or else the only one whose id begins or ends with it. */
export const findOne = <A extends { readonly id: string }>(
  rows: ReadonlyArray<A>,
  sought: Sought<A>
): Effect.Effect<A, CliError> => {
  const { given, nameOf, what } = sought
  const whole = rows.filter(({ id }) => id === given.toLowerCase())
  const named = rows.filter((row) => nameOf(row) === given)
  const found = [whole, named].find(({ length }) => length > 0) ?? rows.filter(({ id }) => hasIdPart(id, given))
  const [only] = found
  if (only === undefined) return notFound(sought)
  return found.length === 1
    ? Effect.succeed(only)
    : ambiguous(what, given, found.map((row) => ({ id: row.id, name: nameOf(row) })))
}
