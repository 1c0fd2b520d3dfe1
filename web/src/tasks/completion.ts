import { quoteValue } from "./query.ts"
import { isTerm, priorities, queryTerms, type QueryToken, readTokens } from "./queryTokens.ts"
import { taskStates } from "./states.ts"

/** What the project has, by the name of the term. */
export type KnownValues = Readonly<Partial<Record<string, ReadonlyArray<string>>>>

export interface Completion {
  /** The part of the line that an option takes the place of. */
  readonly from: number
  readonly to: number
  readonly options: ReadonlyArray<CompletionOption>
}

export interface CompletionOption {
  readonly label: string
  readonly insert: string
}

const maxOptions = 8

/** Beginnings of the terms that compare a value at a place. */
const places = ["args.", "kwargs.", "result."]

const fixedValues: KnownValues = {
  state: taskStates,
  priority: priorities,
  since: ["15m", "1h", "6h", "24h", "7d"],
  until: ["15m", "1h", "6h", "24h", "7d"],
  finished: ["15m", "1h", "6h", "24h", "7d"],
  runtime: [">1s", ">5s", ">1m", "<100ms"],
  retries: [">0", ">2"]
}

/** Values that begin with the text first, then those that contain it. */
const rank = (values: ReadonlyArray<string>, typed: string): ReadonlyArray<string> => {
  const sought = typed.toLowerCase()
  const found = values.filter((value) => value.toLowerCase().includes(sought) && value !== typed)
  return [
    ...found.filter((value) => value.toLowerCase().startsWith(sought)),
    ...found.filter((value) => !value.toLowerCase().startsWith(sought))
  ].slice(0, maxOptions)
}

/** The label of the next option, or of the one before; null beyond the ends, which is the line itself. */
export const moveChoice = (
  options: ReadonlyArray<CompletionOption>,
  chosen: string | null,
  step: 1 | -1
): string | null => {
  const stops = [null, ...options.map(({ label }) => label)]
  return stops.at((Math.max(stops.indexOf(chosen), 0) + step) % stops.length) ?? null
}

/** The terms or values that the part at the caret may become; null where there is nothing to complete. */
export const complete = (line: string, caret: number, known: KnownValues): Completion | null => {
  const token = readTokens(line).filter(({ start, end, kind }) =>
    start <= caret && caret <= end && kind !== "(" && kind !== ")"
  ).at(-1)
  return token?.kind === "term"
    ? completeValue(line, caret, token, known)
    : token === undefined || (token.kind === "word" && token.end === caret && line[token.start] !== "\"")
    ? completeTerm(line.slice(token?.start ?? caret, caret).replace(/^-/, ""), caret) // a minus at the end is a word
    : null
}

const completeTerm = (typed: string, caret: number): Completion | null => {
  const options = rank([...queryTerms.map((term) => `${term}:`), ...places], typed)
    .filter((term) => term.startsWith(typed)).map((term) => ({ label: term, insert: term }))
  return options.length === 0 ? null : { from: caret - typed.length, to: caret, options }
}

const completeValue = (line: string, caret: number, term: QueryToken, known: KnownValues): Completion | null => {
  const { name, values } = term
  const value = values.find(({ start, end }) => start <= caret && caret <= end)
  if (value === undefined || !isTerm(name)) return null
  const typed = line.slice(value.start, caret).replace(/^=?"?/, "").replace(/"$/, "")
  const options = rank(fixedValues[name] ?? known[name] ?? [], typed).map((text) => ({
    label: text,
    insert: `${name === "name" ? "=" : ""}${fixedValues[name] === undefined ? quoteValue(text) : text}`
  }))
  // a missing quotation mark makes all that follows a part of the value
  const to = value.isOpen ? caret + line.slice(caret).search(/[\s(),]|$/) : value.end
  return options.length === 0 ? null : { from: value.start, to, options }
}
