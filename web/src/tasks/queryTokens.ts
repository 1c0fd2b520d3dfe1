import { groupQuery, quoteValue } from "./query.ts"
import { type TaskState, taskStates } from "./states.ts"

/**
 * The parts of a line while a person types it, with their places. The brain alone reads queries; this serves the
 * completion, the facets and the first hint at a mistake.
 */
export interface QueryToken {
  /** A minus is a `not` of its own. */
  readonly kind: "term" | "word" | "and" | "or" | "not" | "(" | ")"
  readonly start: number
  readonly end: number
  /** Of a term. */
  readonly name: string
  readonly values: ReadonlyArray<TokenValue>
  /** A quotation mark is missing. */
  readonly isOpen: boolean
}

export interface TokenValue {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly isOpen: boolean
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
  "finished",
  "fingerprint",
  "tag"
] as const
export type QueryTerm = (typeof queryTerms)[number]
/** Of the columns of values; the place in a value follows, as in `kwargs.order`. */
export const placePrefixes = ["args.", "kwargs.", "result."] as const

/** What an empty line shows of what it may say. */
export const queryExample = "state:failure -queue:slow args.0:eu kwargs.order:42 result.paid:false tag:vip finished:1h"
export const priorities = ["critical", "high", "normal", "low"] as const

const space = /\s+/y
const operator = /[()]|-(?=[^\s)])|(?:AND|OR|NOT)(?=[\s()]|$)/y
const operators: Readonly<Record<string, QueryToken["kind"]>> = {
  "(": "(",
  ")": ")",
  "-": "not",
  NOT: "not",
  AND: "and",
  OR: "or"
}
const termName = /((?:args|kwargs|result)\.[^\s"():,]+|[A-Za-z_]+):/y
const value = /([<>]?=?)(?:"((?:[^"\\]|\\.)*)("?)|([^\s"(),]*))/ysu
const word = /"(?:[^"\\]|\\.)*("?)|[^\s"()]+/ysu

/** The part of the line that begins here, which is no space. */
const readToken = (line: string, start: number): QueryToken => {
  let position = start
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    const found = pattern.exec(line)
    if (found !== null) position = pattern.lastIndex
    return found
  }
  const token = { start, name: "", values: [], isOpen: false }
  const kind = operators[take(operator)?.[0] ?? ""]
  if (kind !== undefined) return { ...token, kind, end: position }
  const name = take(termName)?.[1]
  if (name === undefined) {
    const closing = take(word)?.[1]
    return { ...token, kind: "word", end: position, isOpen: closing === "" }
  }
  const values: Array<TokenValue> = []
  do {
    const valueStart = position
    const [, prefix = "", quoted, closing, plain = ""] = take(value) ?? []
    const text = prefix + (quoted?.replace(/\\(.)/gsu, "$1") ?? plain)
    values.push({ text, start: valueStart, end: position, isOpen: closing === "" })
  } while (line[position] === "," && ++position > 0)
  return { ...token, kind: "term", end: position, name, values, isOpen: values.some(({ isOpen }) => isOpen) }
}

export const readTokens = (line: string): ReadonlyArray<QueryToken> => {
  const tokens: Array<QueryToken> = []
  const skipSpaces = (position: number) => {
    space.lastIndex = position
    return space.test(line) ? space.lastIndex : position
  }
  // Each turn goes on by one character at least, whatever the line is: a turn that does not would freeze the page.
  for (let position = skipSpaces(0); position < line.length;) {
    const token = readToken(line, position)
    tokens.push(token)
    position = skipSpaces(Math.max(token.end, position + 1))
  }
  return tokens
}

export type QueryProblem =
  | { readonly kind: "term"; readonly term: string }
  | { readonly kind: "value"; readonly term: string; readonly value: string }
  | { readonly kind: "quote" }

/** A place in a value, such as `kwargs.order`, is a term too. */
export const isTerm = (name: string): boolean =>
  name.includes(".") || (queryTerms as ReadonlyArray<string>).includes(name)
const known: Readonly<Record<string, ReadonlyArray<string>>> = { state: taskStates, priority: priorities }

const findProblem = ({ isOpen, kind, name, values }: QueryToken): QueryProblem | null => {
  if (isOpen) return { kind: "quote" }
  if (kind !== "term") return null
  if (!isTerm(name)) return { kind: "term", term: name }
  const invalid = values.find(({ text }) => text !== "" && known[name]?.includes(text) === false)
  return invalid === undefined ? null : { kind: "value", term: name, value: invalid.text }
}

/** A term that the person has begun: nothing is wrong with it yet. */
const isUnfinished = ({ kind, name, values }: QueryToken): boolean =>
  kind === "term" && isTerm(name) && values.some(({ text }) => text === "")

/** The line without a part; one space stays between its neighbours. */
const removeToken = (line: string, { start, end }: QueryToken): string => {
  const before = line.slice(0, start).trimEnd()
  const after = line.slice(end).trimStart()
  return before === "" || after === "" ? before + after : `${before} ${after}`
}

const endsOperand = (kind: QueryToken["kind"] | undefined) => kind === "term" || kind === "word" || kind === ")"
const beginsOperand = (kind: QueryToken["kind"] | undefined) =>
  kind === "term" || kind === "word" || kind === "(" || kind === "not"

/**
 * The line without these of its terms and words, and without the operators that would otherwise join something else: each
 * `NOT` before one, and an `AND` or `OR` where nothing is left on one side.
 */
const leaveOut = (line: string, unwanted: ReadonlyArray<QueryToken>): string => {
  const tokens = readTokens(line)
  const kept = [...tokens]
  for (const { start } of unwanted) {
    let from = kept.findIndex((token) => token.start === start)
    let end = from + 1
    while (kept[from - 1]?.kind === "not") from--
    const before = kept[from - 1]?.kind
    const after = kept[end]?.kind
    if (!endsOperand(before) && !beginsOperand(after)) {
      const binding = (["and", "or"] as const).find((kind) => kind === before || kind === after)
      if (binding !== undefined && binding === before) from--
      else if (binding !== undefined) end++
    }
    kept.splice(from, end - from)
  }
  return tokens.filter((token) => !kept.includes(token)).reduceRight(removeToken, line)
}

/** What is wrong with single terms, and the line without them and without those that are not finished. */
export const checkLine = (line: string): {
  readonly problems: ReadonlyArray<QueryProblem>
  readonly valid: string
  /** `valid` lacks a term of the line, and can match tasks that the person did not mean. */
  readonly isPartial: boolean
} => {
  const unwanted = readTokens(line).filter((token) => findProblem(token) !== null || isUnfinished(token))
  return {
    problems: unwanted.map(findProblem).filter((problem) => problem !== null),
    valid: leaveOut(line, unwanted).trim(),
    isPartial: unwanted.length > 0
  }
}

/** What is outside of parentheses. */
const readOuter = (line: string): ReadonlyArray<QueryToken> => {
  let depth = 0
  return readTokens(line).filter(({ kind }) => {
    if (kind === ")") depth--
    const isOuter = depth === 0
    if (kind === "(") depth++
    return isOuter
  })
}

const hasAlternatives = (outer: ReadonlyArray<QueryToken>) => outer.some(({ kind }) => kind === "or")

/** Grouped where a further term needs it; parentheses around others would grow with each click. */
const group = (line: string): string => (hasAlternatives(readOuter(line)) ? groupQuery(line) : line)

/** The terms that each task must match: not negated, in no group, and no alternative to another. */
const requiredTerms = (line: string, name: string): ReadonlyArray<QueryToken> => {
  const outer = readOuter(line)
  if (hasAlternatives(outer)) return []
  return outer.filter((token, index) =>
    token.kind === "term" && token.name === name && outer[index - 1]?.kind !== "not"
  )
}

/** The values of a term that the line requires, as they are written: `=mail.send` for a whole name. */
export const valuesOf = (line: string, name: string): ReadonlyArray<string> =>
  requiredTerms(line, name).flatMap(({ values }) => values.map(({ text }) => text))

/** A name without `=` is a part of names. */
const writeValue = (name: QueryTerm, text: string) => (name === "name" ? `=${text}` : text)
const format = (name: QueryTerm, text: string) => name === "name" ? `=${quoteValue(text)}` : quoteValue(text)

export const hasValue = (line: string, name: QueryTerm, text: string): boolean =>
  valuesOf(line, name).includes(writeValue(name, text))

/** The line with its missing quotation mark, without which a further term would become a part of the quoted text. */
const closeQuote = (line: string): string => {
  const openToken = readTokens(line).find(({ isOpen }) => isOpen)
  return openToken === undefined ? line : `${line.slice(0, openToken.end)}"${line.slice(openToken.end)}`
}

/** Adds the value as one more that is possible for the term, or takes it away. */
export const toggleValue = (typed: string, name: QueryTerm, text: string): string => {
  const line = closeQuote(typed)
  const terms = requiredTerms(line, name)
  for (const token of terms) {
    const index = token.values.findIndex((one) => one.text === writeValue(name, text))
    if (index === -1) continue
    const others = token.values.filter((_, valueIndex) => valueIndex !== index).map(({ start, end }) =>
      line.slice(start, end)
    )
    if (others.length === 0) return leaveOut(line, [token])
    return `${line.slice(0, token.start)}${name}:${others.join(",")}${line.slice(token.end)}`
  }
  const last = terms[0]?.values.at(-1)
  if (last !== undefined && last.text !== "") {
    return `${line.slice(0, last.end)},${format(name, text)}${line.slice(last.end)}`
  }
  return `${group(line.trim())} ${name}:${format(name, text)}`.trim()
}

/** The line with this state alone, or with none. */
export const replaceState = (typed: string, state: TaskState | undefined): string => {
  const line = closeQuote(typed)
  const rest = leaveOut(line, requiredTerms(line, "state"))
  return state === undefined ? rest : `state:${state} ${group(rest.trim())}`.trim()
}
