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
  const pieces = piecesOf(between)
  return (text) =>
    text.length >= shortest && text.startsWith(prefix) && text.endsWith(suffix) &&
    matchPieces(pieces, text, prefix.length, text.length - suffix.length)
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
  for (let index = 0; index < pattern.length; index++) {
    const code = pattern[index]!
    if (code === star) {
      if (tokens.at(-1) !== STAR) tokens.push(STAR)
    } else if (code === question) tokens.push(ANY)
    else if (code === bracket) {
      const from = index + (pattern[index + 1] === exclamation ? 2 : 1)
      const to = pattern.indexOf(closing!, from + 1) // a bracket that closes at once is a member of the set
      if (to < 0) tokens.push(code)
      else {
        tokens.push(readSet(pattern.slice(from, to), from === index + 2))
        index = to
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
  for (let index = 0; index < members.length; index++) {
    const from = members[index]!
    const to = members[index + 1] === hyphen ? members[index + 2] : undefined
    if (index > 0 && ranges.length === 0 && !isNegated && from === exclamation) isNegated = true
    else if (to === undefined) ranges.push([from, from])
    else {
      if (from <= to) ranges.push([from, to])
      index += 2
    }
  }
  return { isNegated, ranges }
}

const matchesOne = (token: Token, code: number): boolean => {
  if (typeof token === "number") return token === code
  if (typeof token === "string") return token === ANY
  return token.ranges.some(([from, to]) => from <= code && code <= to) !== token.isNegated
}

/** What is between two `*`: a literal text, which the engine finds fast, or single tokens. */
type Piece = string | ReadonlyArray<Exclude<Token, typeof STAR>>

const piecesOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<Piece> => {
  const pieces: Array<Array<Exclude<Token, typeof STAR>>> = [[]]
  for (const token of tokens) {
    if (token === STAR) pieces.push([])
    else pieces.at(-1)!.push(token)
  }
  return pieces.map((piece) => piece.some(isWildcard) ? piece : textOf(piece))
}

/**
 * Matches the text from `begin` to `end`: the first piece at its beginning, the last at its end, and each other as far to
 * the left as it can be, which leaves the most to those behind it. Takes at most text times pattern steps, and reads the
 * text in place, because it may have a megabyte.
 */
const matchPieces = (pieces: ReadonlyArray<Piece>, text: string, begin: number, end: number): boolean => {
  const [first, last] = [pieces[0]!, pieces.at(-1)!]
  let index = matchAt(first, text, begin, end)
  if (pieces.length === 1) return index === end
  for (let piece = 1; piece < pieces.length - 1 && index >= 0; piece++) {
    index = findPiece(pieces[piece]!, text, index, end)
  }
  if (index < 0) return false
  const from = beginOfLast(text, end, typeof last === "string" ? Array.from(last).length : last.length)
  return from >= index && matchAt(last, text, from, end) === end
}

/** The end of the piece where it is at this place; else -1. */
const matchAt = (piece: Piece, text: string, begin: number, end: number): number => {
  if (typeof piece === "string") return text.startsWith(piece, begin) ? begin + piece.length : -1
  let index = begin
  for (const token of piece) {
    if (index >= end) return -1
    const code = text.codePointAt(index)!
    if (!matchesOne(token, code)) return -1
    index += lengthOf(code)
  }
  return index
}

/** The end of the first piece from this place on; -1: there is none. */
const findPiece = (piece: Piece, text: string, begin: number, end: number): number => {
  if (typeof piece === "string") {
    const index = text.indexOf(piece, begin)
    return index >= 0 && index + piece.length <= end ? index + piece.length : -1
  }
  for (let index = begin; index < end; index += lengthOf(text.codePointAt(index)!)) {
    const found = matchAt(piece, text, index, end)
    if (found >= 0) return found
  }
  return -1
}

/** Where the last so many characters before `end` begin; -1: the text has fewer. */
const beginOfLast = (text: string, end: number, count: number): number => {
  let index = end
  for (let left = count; left > 0; left--) {
    if (index <= 0) return -1
    index -= index >= 2 && lengthOf(text.codePointAt(index - 2)!) === 2 ? 2 : 1
  }
  return index
}

/** UTF-16 units of a code point. */
const lengthOf = (code: number): number => code > 0xffff ? 2 : 1
