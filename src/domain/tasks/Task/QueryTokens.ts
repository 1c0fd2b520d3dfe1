/** One part of a query's text; `at` and `end` are places in it. */
export type Token =
  & { readonly at: number; readonly end: number }
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

export type TokenProblem = { readonly kind: "quote" | "character"; readonly at: number }

const space = /\s+/y
const bracket = /[()]/y
const minus = /-(?=[^\s)])/y
const operator = /(AND|OR|NOT)(?=[\s()]|$)/y
const termName = /([A-Za-z_]+):/y
const quoted = /"((?:[^"\\]|\\.)*)"/ysu
const plainWord = /[^\s"()]+/y
const plainValue = /[^\s"(),]+/y
const prefix = /(?:[<>]=?|=)(?=")/y
const comma = /,/y

const operators = { AND: "and", OR: "or", NOT: "not" } as const

/** Splits a query into its tokens, or says where it cannot. */
export const tokenize = (text: string): ReadonlyArray<Token> | TokenProblem => {
  const tokens: Array<Token> = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) at = pattern.lastIndex
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
    if (at >= text.length) return tokens
    const begin = at
    const found = take(bracket)?.[0]
    if (found === "(" || found === ")") {
      tokens.push({ kind: found, at: begin, end: at })
      continue
    }
    if (take(minus) !== null) {
      tokens.push({ kind: "not", at: begin, end: at })
      continue
    }
    const word = take(operator)?.[1]
    if (word === "AND" || word === "OR" || word === "NOT") {
      tokens.push({ kind: operators[word], at: begin, end: at })
      continue
    }
    const name = take(termName)?.[1]
    if (name !== undefined) {
      const values = takeValues()
      if (text[at] === "\"") return { kind: "quote", at }
      tokens.push({ kind: "term", name, values, at: begin, end: at })
      continue
    }
    const inQuotes = takeQuoted()
    if (inQuotes === null && text[at] === "\"") return { kind: "quote", at }
    const given = inQuotes ?? take(plainWord)?.[0]
    if (given === undefined) return { kind: "character", at }
    tokens.push({ kind: "word", text: given, at: begin, end: at })
  }
}
