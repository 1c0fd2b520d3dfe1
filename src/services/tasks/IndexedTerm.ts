import { conjunctsOf, join, type TaskExpression, type TextPattern } from "../../domain/tasks/Task/Expression.ts"
import { formatPlace, toIndexedText } from "../../domain/tasks/Task/PlacedValue.ts"
import { type TaskFacet, taskFacets } from "../../domain/tasks/TaskFacet.ts"

/** A term of a query that must hold, and whose values each are a range of an index. */
export interface IndexedTerm {
  readonly column: TaskFacet | "state"
  /** Null: they are looked up among the project's distinct values. */
  readonly values: ReadonlyArray<string> | null
  readonly patterns: ReadonlyArray<TextPattern>
  /** The query without the term. */
  readonly rest: TaskExpression | null
}

const isFacet = (column: string): column is TaskFacet => (taskFacets as ReadonlyArray<string>).includes(column)

const rankOf = ({ column, values }: IndexedTerm): number => (column === "state" ? 2 : values === null ? 1 : 0)

/** The term that probably has the fewest rows: whole values, then patterns, and states last. */
export const findIndexedTerm = (query: TaskExpression | null): IndexedTerm | null => {
  const conjuncts = conjunctsOf(query)
  const terms = conjuncts.flatMap((term): ReadonlyArray<IndexedTerm> => {
    const others = conjuncts.filter((other) => other !== term)
    const rest = others.length === 0 ? null : join("and", others)
    if (term.kind === "state") return [{ column: "state", values: term.values, patterns: [], rest }]
    if (term.kind !== "pattern" || !isFacet(term.column)) return []
    const { column, patterns } = term
    const isWhole = patterns.every(({ match }) => match === "whole")
    return [{ column, values: isWhole ? [...new Set(patterns.map(({ text }) => text))] : null, patterns, rest }]
  })
  return terms.sort((a, b) => rankOf(a) - rankOf(b))[0] ?? null
}

/** Values of a place that a query demands, as the index of searchable paths has them. */
export interface PlacedTerm {
  readonly path: string
  readonly values: ReadonlyArray<string>
  /** The other terms that must hold, and the one on the task's name; null where the query has none. */
  readonly rest: ReadonlyArray<TaskExpression>
  readonly name: IndexedTerm | null
}

/** The terms that the index of searchable paths can answer: whole texts, and no lists or objects as JSON. */
export const listPlacedTerms = (query: TaskExpression | null): ReadonlyArray<PlacedTerm> => {
  const conjuncts = conjunctsOf(query)
  const isName = (term: TaskExpression) => term.kind === "pattern" && term.column === "name"
  const name = conjuncts.find(isName)
  return conjuncts.flatMap((term): ReadonlyArray<PlacedTerm> => {
    if (term.kind !== "payload") return []
    const values = term.patterns.map(({ match, text }) =>
      match === "whole" && !/^["[{]/.test(text) ? toIndexedText(text) : null
    )
    if (!values.every((value) => value !== null)) return []
    return [{
      path: formatPlace(term),
      values: [...new Set(values)],
      rest: conjuncts.filter((other) => other !== term && other !== name),
      name: name === undefined ? null : findIndexedTerm(name)
    }]
  })
}
