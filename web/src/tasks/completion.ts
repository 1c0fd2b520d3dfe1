import { quoteValue } from "./query.ts"
import { priorities, queryTerms } from "./queryTokens.ts"
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

const fixedValues: KnownValues = {
  state: taskStates,
  priority: priorities,
  since: ["15m", "1h", "6h", "24h", "7d"],
  until: ["15m", "1h", "6h", "24h", "7d"],
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

/** The terms or values that the part before the caret may become; null where there is nothing to complete. */
export const complete = (line: string, caret: number, known: KnownValues): Completion | null => {
  const before = line.slice(0, caret)
  const [, begun = ""] = /((?:"(?:[^"\\]|\\.)*"?|[^\s"()])*)$/su.exec(before) ?? []
  const rest = /^[^\s"(),]*/.exec(line.slice(caret))?.[0].length ?? 0
  const [, name, values = ""] = /^-?([a-z_]+):(.*)$/su.exec(begun) ?? []
  if (name === undefined) {
    if (begun.startsWith("\"") || rest > 0) return null
    const typed = begun.replace(/^-/, "")
    const options = rank(queryTerms, typed).filter((term) => term.startsWith(typed))
      .map((term) => ({ label: `${term}:`, insert: `${term}:` }))
    return options.length === 0 ? null : { from: caret - typed.length, to: caret, options }
  }
  const typed = /(?:"(?:[^"\\]|\\.)*"?|[^,"])*$/su.exec(values)?.[0] ?? ""
  const plain = typed.replace(/^=?"?/, "").replace(/"$/, "")
  const options = rank(fixedValues[name] ?? known[name] ?? [], plain).map((value) => ({
    label: value,
    insert: `${name === "name" ? "=" : ""}${fixedValues[name] === undefined ? quoteValue(value) : value}`
  }))
  return options.length === 0 ? null : { from: caret - typed.length, to: caret + rest, options }
}
