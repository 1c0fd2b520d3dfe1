import { Either } from "effect"
import type * as Timestamp from "../../kernel/Timestamp.ts"
import { join, negate, type TaskExpression } from "./Expression.ts"
import { isQueryTerm, parsePayloadTerm, parseTerm, termList } from "./QueryTerms.ts"
import { type Token, tokenize } from "./QueryTokens.ts"

/**
 * The query language of the list of tasks (docs/api.md, Queries):
 *
 *     state:failure,retry (queue:slow OR name:mail.*) -worker:box-1 runtime:>5s "timed out"
 *
 * Terms without an operator between them must all match. `OR` binds less than that, `NOT` and `-` bind most.
 */

/** Characters of a query. */
export const maxQueryCharacters = 1000
/** Terms of a query. Each is a condition on each row that a search reads. */
const maxTerms = 50
const maxDepth = 20

/** The error, without the query's own text; `position` counts from 0. */
export interface QueryProblem {
  readonly position: number
  readonly message: string
}

/** Stops the descent below; caught in `parseQuery`, and nowhere else. */
class Stop extends Error {
  readonly problem: QueryProblem
  constructor(position: number, message: string) {
    super(message)
    this.problem = { position, message }
  }
}

class Parser {
  private next = 0
  private terms = 0
  private readonly tokens: ReadonlyArray<Token>
  private readonly end: number
  private readonly now: Timestamp.Timestamp
  constructor(tokens: ReadonlyArray<Token>, end: number, now: Timestamp.Timestamp) {
    this.tokens = tokens
    this.end = end
    this.now = now
  }

  parseAll(): TaskExpression {
    const expression = this.parseOr(0)
    const rest = this.tokens[this.next]
    if (rest !== undefined) throw new Stop(rest.start, "has a closing parenthesis without an opening one")
    return expression
  }

  private peek(): Token["kind"] | "end" {
    return this.tokens[this.next]?.kind ?? "end"
  }

  private parseOr(depth: number): TaskExpression {
    const members = [this.parseAnd(depth)]
    while (this.peek() === "or") {
      this.next++
      members.push(this.parseAnd(depth))
    }
    return join("or", members)
  }

  private parseAnd(depth: number): TaskExpression {
    const members = [this.parseNot(depth)]
    while (!["or", ")", "end"].includes(this.peek())) {
      if (this.peek() === "and") this.next++
      members.push(this.parseNot(depth))
    }
    return join("and", members)
  }

  private parseNot(depth: number): TaskExpression {
    let isNegated = false
    while (this.peek() === "not") {
      this.next++
      isNegated = !isNegated
    }
    const expression = this.parseOne(depth)
    return isNegated ? negate(expression) : expression
  }

  private parseOne(depth: number): TaskExpression {
    const token = this.tokens[this.next]
    if (token === undefined) throw new Stop(this.end, "ends where a term is missing")
    this.next++
    if (token.kind === "(") {
      if (depth >= maxDepth) throw new Stop(token.start, `has more than ${maxDepth} nested parentheses`)
      const inner = this.parseOr(depth + 1)
      if (this.peek() !== ")") throw new Stop(token.start, "has a parenthesis that is not closed")
      this.next++
      return inner
    }
    if (token.kind !== "word" && token.kind !== "term") throw new Stop(token.start, "lacks a term")
    if (++this.terms > maxTerms) throw new Stop(token.start, `has more than ${maxTerms} terms`)
    if (token.kind === "word") {
      if (token.text.trim() === "") throw new Stop(token.start, "has an empty text")
      return { kind: "word", text: token.text }
    }
    const { name, values } = token
    const term = isQueryTerm(name) ? parseTerm(name, values, this.now) : parsePayloadTerm(name, values)
    if (term === null) {
      throw new Stop(token.start, `has an unknown term. The terms are ${termList}; quote a text with a colon`)
    }
    return Either.getOrThrowWith(
      term,
      (message) => new Stop(token.start, `has the term ${name}, which ${message}`)
    )
  }
}

/** The expression of a query, or its error; null for an empty one. Ages count from `now`. */
export const parseQuery = (
  text: string,
  now: Timestamp.Timestamp
): Either.Either<TaskExpression | null, QueryProblem> => {
  const tokens = tokenize(text)
  if ("kind" in tokens) {
    return Either.left({
      position: tokens.position,
      message: tokens.kind === "quote" ? "has a quotation mark that is not closed" : "has a character out of place"
    })
  }
  if (tokens.length === 0) return Either.right(null)
  try {
    return Either.right(new Parser(tokens, text.length, now).parseAll())
  } catch (error) {
    if (error instanceof Stop) return Either.left(error.problem)
    throw error
  }
}
