import { quoteValue } from "./query.ts"
import { type TaskState, taskStates } from "./states.ts"

/**
 * The parts of a line while a person types it, with their places. The brain alone reads queries; this serves the
 * completion, the facets and the first hint at a mistake.
 */
export interface QueryToken {
  readonly kind: "term" | "word" | "operator"
  readonly at: number
  readonly end: number
  readonly isNegated: boolean
  /** Of a term. */
  readonly name: string
  readonly values: ReadonlyArray<TokenValue>
  /** A quotation mark is missing. */
  readonly isOpen: boolean
}

export interface TokenValue {
  readonly text: string
  readonly at: number
  readonly end: number
}

export const queryTerms = [
  "state",
  "name",
  "queue",
  "worker",
  "engine",
  "priority",
  "error",
  "runtime",
  "retries",
  "since",
  "until",
  "fingerprint"
] as const
export type QueryTerm = (typeof queryTerms)[number]
export const priorities = ["critical", "high", "normal", "low"] as const

const space = /\s+/y
const operator = /[()]|(?:AND|OR|NOT)(?=[\s()]|$)/y
const termName = /([A-Za-z_]+):/y
const value = /([<>]?=?)(?:"((?:[^"\\]|\\.)*)("?)|([^\s"(),]*))/ysu
const word = /"(?:[^"\\]|\\.)*("?)|[^\s"()]+/ysu

export const readTokens = (line: string): ReadonlyArray<QueryToken> => {
  const tokens: Array<QueryToken> = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(line)
    if (found !== null) at = pattern.lastIndex
    return found
  }
  while (true) {
    take(space)
    if (at >= line.length) return tokens
    const begin = at
    const add = (token: Partial<QueryToken>) =>
      tokens.push({ kind: "word", at: begin, end: at, isNegated: false, name: "", values: [], isOpen: false, ...token })
    if (take(operator) !== null) {
      add({ kind: "operator" })
      continue
    }
    const isNegated = line[at] === "-" && /[^\s)]/.test(line[at + 1] ?? " ")
    if (isNegated) at++
    if (line[at] === "(") {
      add({ kind: "operator" })
      continue
    }
    const name = take(termName)?.[1]
    if (name === undefined) {
      const [text = "", closing] = take(word) ?? []
      if (text === "") at++
      add({ isNegated, isOpen: closing === "" })
      continue
    }
    const values: Array<TokenValue> = []
    let isOpen = false
    do {
      const valueAt = at
      const [, prefix = "", quoted, closing, plain = ""] = take(value) ?? []
      values.push({ text: prefix + (quoted?.replace(/\\(.)/gsu, "$1") ?? plain), at: valueAt, end: at })
      isOpen = isOpen || closing === ""
    } while (line[at] === "," && ++at > 0)
    add({ kind: "term", isNegated, name, values, isOpen })
  }
}

export type QueryProblem =
  | { readonly kind: "term"; readonly term: string }
  | { readonly kind: "value"; readonly term: string; readonly value: string }
  | { readonly kind: "quote" }

const isTerm = (name: string): boolean => (queryTerms as ReadonlyArray<string>).includes(name)
const known: Readonly<Record<string, ReadonlyArray<string>>> = { state: taskStates, priority: priorities }

const findProblem = ({ isOpen, kind, name, values }: QueryToken): QueryProblem | null => {
  if (isOpen) return { kind: "quote" }
  if (kind !== "term") return null
  if (!isTerm(name)) return { kind: "term", term: name }
  const wrong = values.find(({ text }) => text !== "" && known[name]?.includes(text) === false)
  return wrong === undefined ? null : { kind: "value", term: name, value: wrong.text }
}

/** A term that the person has begun: nothing is wrong with it yet. */
const isUnfinished = ({ kind, name, values }: QueryToken): boolean =>
  kind === "term" && isTerm(name) && values.some(({ text }) => text === "")

/** What is wrong with single terms, and the line without them and without those that are not finished. */
export const checkLine = (line: string): {
  readonly problems: ReadonlyArray<QueryProblem>
  readonly valid: string
} => {
  const problems: Array<QueryProblem> = []
  let valid = ""
  let from = 0
  for (const token of readTokens(line)) {
    const problem = findProblem(token)
    if (problem !== null) problems.push(problem)
    if (problem === null && !isUnfinished(token)) continue
    valid += line.slice(from, token.at)
    from = token.end
  }
  return { problems, valid: (valid + line.slice(from)).trim() }
}

const cut = (line: string, at: number, end: number, instead = ""): string =>
  `${line.slice(0, at)}${instead}${line.slice(end)}`.replace(/ {2,}/g, " ").trim()

const tokensOf = (line: string, name: string) =>
  readTokens(line).filter((token) => token.kind === "term" && token.name === name && !token.isNegated)

/** The values of a term that the line asks for, as they are written: `=mail.send` for a whole name. */
export const valuesOf = (line: string, name: string): ReadonlyArray<string> =>
  tokensOf(line, name).flatMap(({ values }) => values.map(({ text }) => text))

/** A name without `=` is a part of names. */
const written = (name: QueryTerm, text: string) => (name === "name" ? `=${text}` : text)
const format = (name: QueryTerm, text: string) => name === "name" ? `=${quoteValue(text)}` : quoteValue(text)

export const hasValue = (line: string, name: QueryTerm, text: string): boolean =>
  valuesOf(line, name).includes(written(name, text))

/** Adds the value as one more that is possible for the term, or takes it away. */
export const toggleValue = (line: string, name: QueryTerm, text: string): string => {
  for (const token of tokensOf(line, name)) {
    const index = token.values.findIndex((one) => one.text === written(name, text))
    if (index === -1) continue
    const others = token.values.filter((_, at) => at !== index).map(({ at, end }) => line.slice(at, end))
    return cut(line, token.at, token.end, others.length === 0 ? "" : `${name}:${others.join(",")}`)
  }
  const [first] = tokensOf(line, name)
  const last = first?.values.at(-1)
  if (first !== undefined && last !== undefined && last.text !== "") {
    return cut(line, last.end, last.end, `,${format(name, text)}`)
  }
  return cut(line, line.length, line.length, ` ${name}:${format(name, text)}`)
}

/** The line with this state alone, or with none. */
export const replaceState = (line: string, state: TaskState | undefined): string => {
  const rest = tokensOf(line, "state").reduceRight((text, { at, end }) => cut(text, at, end), line)
  return state === undefined ? rest : `state:${state} ${rest}`.trim()
}
