/** One part of a query's text; `start` and `end` are positions in it. */
export type Token =
  & { readonly start: number; readonly end: number }
  & (
    | { readonly kind: "(" | ")" | "and" | "or" | "not" }
    | { readonly kind: "word"; readonly text: string }
    | { readonly kind: "term"; readonly name: string; readonly values: ReadonlyArray<TokenValue> }
  )

/** A quoted value has no wildcards. */
export interface TokenValue {
  readonly text: string
  readonly isQuoted: boolean
  /** What is before a quoted value: `=`, `>`, …; part of the text where it is not quoted. */
  readonly prefix: string
}

export type TokenProblem = { readonly kind: "quote" | "character"; readonly position: number }

const space = /\s+/y
const bracket = /[()]/y
const minus = /-(?=[^\s)])/y
const operator = /(AND|OR|NOT)(?=[\s()]|$)/y
/** A place in a value follows its name: `kwargs.order.id:`. */
const termName = /((?:args|kwargs|result)\.[^\s"():,]+|[A-Za-z_]+):/y
const quoted = /"((?:[^"\\]|\\.)*)"/ysu
const plainWord = /[^\s"()]+/y
const plainValue = /[^\s"(),]+/y
const prefix = /(?:[<>]=?|=)(?=")/y
const comma = /,/y

const operators = { AND: "and", OR: "or", NOT: "not" } as const

/** Splits a query into its tokens, or says where it cannot. */
export const tokenize = (text: string): ReadonlyArray<Token> | TokenProblem => {
  const tokens: Array<Token> = []
  let position = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    const found = pattern.exec(text)
    if (found !== null) position = pattern.lastIndex
    return found
  }
  const takeQuoted = (): string | null => take(quoted)?.[1]?.replace(/\\(.)/gsu, "$1") ?? null

  const takeValues = (): ReadonlyArray<TokenValue> => {
    const values: Array<TokenValue> = []
    do {
      const before = take(prefix)?.[0] ?? ""
      const inQuotes = takeQuoted()
      if (inQuotes !== null) values.push({ text: inQuotes, isQuoted: true, prefix: before })
      else values.push({ text: take(plainValue)?.[0] ?? "", isQuoted: false, prefix: "" })
    } while (take(comma) !== null)
    return values
  }

  while (true) {
    take(space)
    if (position >= text.length) return tokens
    const start = position
    const found = take(bracket)?.[0]
    if (found === "(" || found === ")") {
      tokens.push({ kind: found, start, end: position })
      continue
    }
    if (take(minus) !== null) {
      tokens.push({ kind: "not", start, end: position })
      continue
    }
    const word = take(operator)?.[1]
    if (word === "AND" || word === "OR" || word === "NOT") {
      tokens.push({ kind: operators[word], start, end: position })
      continue
    }
    const name = take(termName)?.[1]
    if (name !== undefined) {
      const values = takeValues()
      if (text[position] === "\"") return { kind: "quote", position }
      tokens.push({ kind: "term", name, values, start, end: position })
      continue
    }
    const inQuotes = takeQuoted()
    if (inQuotes === null && text[position] === "\"") return { kind: "quote", position }
    const content = inQuotes ?? take(plainWord)?.[0]
    if (content === undefined) return { kind: "character", position }
    tokens.push({ kind: "word", text: content, start, end: position })
  }
}
