import type { TaskPriority, TaskState } from "../../kernel/TaskState.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"

/** A text to compare a column with; in a `glob`, each `*` matches any characters. Case-sensitive. */
export interface TextPattern {
  readonly match: "whole" | "part" | "glob"
  readonly text: string
}

/** Columns of `tasks` that are compared with patterns. */
export type PatternColumn = "name" | "queue" | "worker_name" | "engine" | "fingerprint"

/** Columns of `tasks` that are compared with numbers; run times are in milliseconds. */
export type NumberColumn = "runtime_ms" | "retry_count"

/** Columns of `tasks` with a value of an agent, as JSON. Only `payload_role` reads them. */
export type PayloadColumn = "args" | "kwargs" | "result"

export type Comparison = ">" | ">=" | "<" | "<=" | "="

/** A condition on one task. A column without a value satisfies none of them. */
export type TaskTerm =
  | { readonly kind: "state"; readonly values: ReadonlyArray<TaskState> }
  | { readonly kind: "priority"; readonly values: ReadonlyArray<TaskPriority> }
  /** Any of the patterns matches. */
  | { readonly kind: "pattern"; readonly column: PatternColumn; readonly patterns: ReadonlyArray<TextPattern> }
  | {
    readonly kind: "number"
    readonly column: NumberColumn
    readonly comparison: Comparison
    readonly value: number
  }
  /** A text, number, boolean or null at a place in a value: a name is a member of an object, a number an item of a list. */
  | {
    readonly kind: "payload"
    readonly column: PayloadColumn
    readonly path: ReadonlyArray<string | number>
    readonly patterns: ReadonlyArray<TextPattern>
  }
  /** Any of the tags. */
  | { readonly kind: "tag"; readonly values: ReadonlyArray<string> }
  /** Of `received_at`, or of the first event where that is null. */
  | { readonly kind: "since" | "until"; readonly moment: Timestamp }
  /** A lower bound of `finished_at`, included. */
  | { readonly kind: "finished"; readonly moment: Timestamp }
  /** Part of the exception, in either case. */
  | { readonly kind: "error"; readonly text: string }
  /** Part of name, queue, worker, task id or exception, in either case. */
  | { readonly kind: "word"; readonly text: string }

/**
 * Which tasks, as a boolean expression of terms. Only terms are negated, never groups: every operator around a term is
 * monotone, so a column without a value may count as false. A negated term matches each task that the term does not.
 */
export type TaskExpression =
  | TaskTerm
  | { readonly kind: "not"; readonly term: TaskTerm }
  | { readonly kind: "and" | "or"; readonly members: ReadonlyArray<TaskExpression> }

export const join = (kind: "and" | "or", members: ReadonlyArray<TaskExpression>): TaskExpression => {
  const flat = members.flatMap((member) => (member.kind === kind ? member.members : [member]))
  const [only] = flat
  return flat.length === 1 && only !== undefined ? only : { kind, members: flat }
}

/** The opposite, by De Morgan's laws. */
export const negate = (expression: TaskExpression): TaskExpression => {
  switch (expression.kind) {
    case "and":
      return join("or", expression.members.map(negate))
    case "or":
      return join("and", expression.members.map(negate))
    case "not":
      return expression.term
    default:
      return { kind: "not", term: expression }
  }
}

/** The expressions that must all hold. */
export const conjunctsOf = (expression: TaskExpression | null): ReadonlyArray<TaskExpression> =>
  expression === null ? [] : expression.kind === "and" ? expression.members : [expression]

/** Each term, negated or not. */
export const termsOf = (expression: TaskExpression | null): ReadonlyArray<TaskTerm> => {
  if (expression === null) return []
  if (expression.kind === "not") return [expression.term]
  return "members" in expression ? expression.members.flatMap(termsOf) : [expression]
}
