/** A set of characters: `[a-z]`, or all others: `[!a-z]`. Ranges of code points, both ends included. */
interface CharacterSet {
  readonly isNegated: boolean
  readonly ranges: ReadonlyArray<readonly [from: number, to: number]>
}

const STAR = "*"
const ANY = "?"

/** A character's code point, any one character, any characters, or one of a set. */
type Token = number | typeof ANY | typeof STAR | CharacterSet

/**
 * Compiles a pattern of Python's `fnmatch.fnmatchcase`: `*` matches any characters, `?` one, `[abc]` one of a set,
 * `[!abc]` one outside of it; a `[` that nothing closes is a character. The whole text must match, in its case.
 *
 * Our own lines instead of picomatch: its patterns are those of paths, where `*` stops at a slash. No regular
 * expression either: `*a*a*a*a` would backtrack for minutes on a name that a task's author has chosen.
 */
export const compileGlob = (pattern: string): (text: string) => boolean => {
  const tokens = tokensOf(pattern)
  const { prefix, suffix } = edgesOf(tokens)
  if (!tokens.some(isWildcard)) return (text) => text === prefix
  const between = tokens.slice(literalLength(tokens), tokens.length - literalLength(tokens.toReversed()))
  const shortest = prefix.length + suffix.length
  if (between.length === 1 && between[0] === STAR) {
    return (text) => text.length >= shortest && text.startsWith(prefix) && text.endsWith(suffix)
  }
  return (text) =>
    text.length >= shortest && text.startsWith(prefix) && text.endsWith(suffix) &&
    matchTokens(between, Array.from(text.slice(prefix.length, text.length - suffix.length), codePointOf))
}

/** What each text that the pattern matches begins and ends with; both the whole pattern where it has no wildcard. */
export const readEdges = (pattern: string) => edgesOf(tokensOf(pattern))

const tokensOf = (pattern: string): ReadonlyArray<Token> => readTokens(Array.from(pattern, codePointOf))

const isWildcard = (token: Token): boolean => typeof token !== "number"

/** How many tokens come before the first wildcard. */
const literalLength = (tokens: ReadonlyArray<Token>): number => {
  const wildcard = tokens.findIndex(isWildcard)
  return wildcard < 0 ? tokens.length : wildcard
}

const edgesOf = (tokens: ReadonlyArray<Token>) => ({
  prefix: textOf(tokens.slice(0, literalLength(tokens))),
  suffix: textOf(tokens.slice(tokens.length - literalLength(tokens.toReversed())))
})

const textOf = (tokens: ReadonlyArray<Token>): string =>
  String.fromCodePoint(...tokens.filter((token) => typeof token === "number"))

const codePointOf = (character: string): number => character.codePointAt(0) ?? 0

const [star, question, bracket, closing, exclamation, hyphen] = Array.from("*?[]!-", codePointOf)

const readTokens = (pattern: ReadonlyArray<number>): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  for (let at = 0; at < pattern.length; at++) {
    const code = pattern[at]!
    if (code === star) {
      if (tokens.at(-1) !== STAR) tokens.push(STAR)
    } else if (code === question) tokens.push(ANY)
    else if (code === bracket) {
      const from = at + (pattern[at + 1] === exclamation ? 2 : 1)
      const to = pattern.indexOf(closing!, from + 1) // a bracket that closes at once is a member of the set
      if (to < 0) tokens.push(code)
      else {
        tokens.push(readSet(pattern.slice(from, to), from === at + 2))
        at = to
      }
    } else tokens.push(code)
  }
  return tokens
}

/**
 * A range from a later to an earlier character has no members. As in Python, a `!` that is first without such ranges
 * negates the set.
 */
const readSet = (members: ReadonlyArray<number>, beginsNegated: boolean): CharacterSet => {
  const ranges: Array<readonly [number, number]> = []
  let isNegated = beginsNegated
  for (let at = 0; at < members.length; at++) {
    const from = members[at]!
    const to = members[at + 1] === hyphen ? members[at + 2] : undefined
    if (at > 0 && ranges.length === 0 && !isNegated && from === exclamation) isNegated = true
    else if (to === undefined) ranges.push([from, from])
    else {
      if (from <= to) ranges.push([from, to])
      at += 2
    }
  }
  return { isNegated, ranges }
}

const matchesOne = (token: Token, code: number): boolean => {
  if (typeof token === "number") return token === code
  if (typeof token === "string") return token === ANY
  return token.ranges.some(([from, to]) => from <= code && code <= to) !== token.isNegated
}

/** Takes at most text times pattern steps: only the last `*` is ever tried with more characters. */
const matchTokens = (tokens: ReadonlyArray<Token>, text: ReadonlyArray<number>): boolean => {
  let token = 0
  let at = 0
  let lastStar = -1
  let starEnd = 0
  while (at < text.length) {
    const current = tokens[token]
    if (current === STAR) {
      lastStar = token++
      starEnd = at
    } else if (current !== undefined && matchesOne(current, text[at]!)) {
      token++
      at++
    } else if (lastStar >= 0) {
      token = lastStar + 1
      at = ++starEnd
    } else return false
  }
  while (tokens[token] === STAR) token++
  return token === tokens.length
}
