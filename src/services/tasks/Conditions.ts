import type { SqlClient, Statement } from "@effect/sql"
import { caseFormsOf } from "../../domain/kernel/CaseFolding.ts"
import { type Timestamp, toEpochMillis } from "../../domain/kernel/Timestamp.ts"
import type { PatternColumn, TaskExpression, TaskTerm, TextPattern } from "../../domain/tasks/Task/Expression.ts"
import type { TaskFilter } from "../../domain/tasks/Task/Filter.ts"
import type { TaskFacet } from "../../domain/tasks/TaskFacet.ts"
import { maxIdAt, minIdAt } from "../kernel/Ids.ts"
import { idIn } from "../kernel/sql/Dialect.ts"
import { makePayloadConditions } from "./PayloadConditions.ts"

export type Fragment = Statement.Fragment

/** Columns that a search term is compared with; `value` is a column of `task_facets`. */
type SearchColumn = TaskFacet | "task_id" | "exception" | "value"

/** Both ends included; null is open. */
interface IdBounds {
  readonly lowest: string | null
  readonly highest: string | null
}

/** The time that `since` and `until` bound. */
const momentSql = "COALESCE(received_at, first_event_at)"

/** The condition of the partial index `tasks_other_hour`: the few rows outside of `idBoundsOf`. */
const otherHourSql = `substr(${momentSql}, 1, 13) <> substr(created_at, 1, 13)`

/** The terms of a filter as SQL conditions on one row; all text of callers is passed as parameters. */
// Each kind of condition is a short function of `sql`; they are built of each other.
export const makeConditions = (sql: SqlClient.SqlClient) => {
  const position = sql.onDialectOrElse({ pg: () => sql.literal("strpos"), orElse: () => sql.literal("instr") })

  /** Case-sensitive. */
  const contains = (column: TaskFacet | "value", part: string) => sql`${position}(${sql(column)}, ${part}) > 0`

  const like = (column: SearchColumn, pattern: string) => sql`${sql(column)} LIKE ${pattern} ESCAPE '\\'`

  /** ASCII letters in either case, as SQLite's LIKE and PostgreSQL's ILIKE under the collation "C" compare. */
  const likeInEitherCase = (column: SearchColumn, pattern: string): ReadonlyArray<Fragment> =>
    sql.onDialectOrElse({
      pg: () => {
        // ILIKE takes twice the time of LIKE, so a LIKE on the other characters comes first
        const loose = pattern.replace(/[a-z]/gi, "_")
        return [
          ...(/[^_%]/.test(loose) ? [like(column, loose)] : []),
          ...(/[a-z]/i.test(pattern) ? [sql`${sql(column)} ILIKE ${pattern} ESCAPE '\\'`] : [])
        ]
      },
      orElse: () => [like(column, pattern)]
    })

  /** The column contains the term, its letters in any of their case forms (`CaseFolding.ts`). */
  const matchesTerm = (column: SearchColumn, term: string) => {
    const characters = [...term]
    const pattern = `%${
      characters.map((one) => caseFormsOf(one) === undefined ? one.replace(/[\\%_]/, "\\$&") : "_").join("")
    }%`
    if (characters.every((one) => caseFormsOf(one) === undefined)) return sql.and(likeInEitherCase(column, pattern))
    const exact = sql.onDialectOrElse({
      pg: () => sql`${sql(column)} ~ ${regexOf(characters)}`,
      orElse: () => sql`${sql(column)} GLOB ${globOf(characters)}`
    })
    // most values are plain ASCII, and the ASCII letters of the term exclude most others
    const hasNonAscii = sql`octet_length(${sql(column)}) > length(${sql(column)})`
    return sql.and([hasNonAscii, ...likeInEitherCase(column, pattern), exact])
  }

  /** One of many values, as one parameter: the statement's text does not depend on their number. */
  const isOneOf = (column: TaskFacet | "state", values: ReadonlyArray<string>) =>
    sql.onDialectOrElse({
      pg: () => sql`${sql(column)} = ANY(${values}::text[])`,
      orElse: () => sql`${sql(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
    })

  /** All terms but name and search. */
  const exactTerms = (filter: TaskFilter): ReadonlyArray<Fragment> => {
    const terms: Array<Fragment> = []
    if (filter.state !== null) terms.push(sql`state = ${filter.state}`)
    // as an expression: the primary key has the engine, and its order would need a sort of all tasks of the engine
    if (filter.engine !== null) terms.push(sql`(engine || '') = ${filter.engine}`)
    if (filter.ids !== null) terms.push(idIn(sql, filter.ids))
    if (filter.queue !== null) terms.push(sql`queue = ${filter.queue}`)
    if (filter.worker !== null) terms.push(sql`worker_name = ${filter.worker}`)
    if (filter.fingerprint !== null) terms.push(sql`fingerprint = ${filter.fingerprint}`)
    if (filter.priority !== null) terms.push(sql`priority IN ${sql.in([...new Set(filter.priority)])}`)
    if (filter.since !== null) terms.push(sql`${sql.literal(momentSql)} >= ${filter.since}`)
    if (filter.until !== null) terms.push(sql`${sql.literal(momentSql)} <= ${filter.until}`)
    if (filter.query !== null) terms.push(satisfies(filter.query))
    return terms
  }

  const columns = ["name", "queue", "worker_name", "task_id"] as const
  const matchesAnyColumn = (term: string, { search_exceptions }: Pick<TaskFilter, "search_exceptions">) =>
    sql.or(
      (search_exceptions ? [...columns, "exception"] as const : columns).map((column) => matchesTerm(column, term))
    )

  /** `column` is an expression, or the column `value` of `task_facets`. */
  const matchesPattern = (column: Fragment, { match, text }: TextPattern): Fragment => {
    if (match === "whole") return sql`${column} = ${text}`
    if (match === "part") return sql`${position}(${column}, ${text}) > 0`
    return sql.onDialectOrElse({
      pg: () => sql`${column} LIKE ${text.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")} ESCAPE '\\'`,
      orElse: () => sql`${column} GLOB ${text.replace(/[?[]/g, "[$&]")}`
    })
  }
  const matchesAnyPattern = (column: Fragment, patterns: ReadonlyArray<TextPattern>) =>
    sql.or(patterns.map((pattern) => matchesPattern(column, pattern)))

  /**
   * As an expression, like the engine above: the statement around it has chosen its index, and the planner shall not
   * prefer another one, whose rows it would have to sort.
   */
  const asExpression = (column: PatternColumn | "state" | "priority") => sql`(${sql(column)} || '')`

  const { hasTag, matchesPayload } = makePayloadConditions(sql, matchesAnyPattern)

  const satisfiesTerm = (term: TaskTerm): Fragment => {
    switch (term.kind) {
      case "state":
      case "priority":
        return sql`${asExpression(term.kind)} IN ${sql.in(term.values)}`
      case "pattern":
        return matchesAnyPattern(asExpression(term.column), term.patterns)
      case "number":
        return sql`${sql(term.column)} ${sql.literal(term.comparison)} ${term.value}`
      case "payload":
        return matchesPayload(term)
      case "tag":
        return sql.or(term.values.map(hasTag))
      case "since":
        return sql`${sql.literal(momentSql)} >= ${term.moment}`
      case "until":
        return sql`${sql.literal(momentSql)} <= ${term.moment}`
      case "finished":
        return sql`finished_at >= ${term.moment}`
      case "error":
        return matchesTerm("exception", term.text)
      case "word":
        return matchesAnyColumn(term.text, { search_exceptions: true })
    }
  }

  /** A negated term also holds where the column is null, and where SQL says neither yes nor no. */
  const satisfies = (expression: TaskExpression): Fragment => {
    switch (expression.kind) {
      case "and":
        return sql.and(expression.members.map(satisfies))
      case "or":
        return sql.or(expression.members.map(satisfies))
      case "not":
        return sql`(${satisfiesTerm(expression.term)}) IS NOT TRUE`
      default:
        return satisfiesTerm(expression)
    }
  }

  /** Every term, without a lookup of names: for a walk over a bounded number of rows. */
  const allTerms = (filter: TaskFilter): ReadonlyArray<Fragment> => [
    ...exactTerms(filter),
    ...(filter.name === null ? [] : [contains("name", filter.name)]),
    ...(filter.search === null ? [] : [matchesAnyColumn(filter.search, filter)])
  ]

  return {
    contains,
    matchesTerm,
    matchesAnyPattern,
    isOneOf,
    exactTerms,
    allTerms,
    isOfOtherHour: sql.literal(otherHourSql)
  } as const
}
export type Conditions = ReturnType<typeof makeConditions>

/** The case forms of a character as a pattern class; null where it has one form. */
const characterClassOf = (character: string): string | null =>
  /[a-z]/i.test(character)
    ? `[${character.toLowerCase()}${character.toUpperCase()}]`
    : caseFormsOf(character) === undefined
    ? null
    : `[${[...caseFormsOf(character) ?? []].join("")}]`

const globOf = (characters: ReadonlyArray<string>): string =>
  `*${characters.map((one) => characterClassOf(one) ?? (/[*?[]/.test(one) ? `[${one}]` : one)).join("")}*`

/** In a regular expression of PostgreSQL a backslash escapes every character but letters and digits. */
const regexOf = (characters: ReadonlyArray<string>): string =>
  characters.map((one) => characterClassOf(one) ?? (/[!-/:-@[-`{-~]/.test(one) ? `\\${one}` : one)).join("")

/** Maximum seconds between the clock readings of an id and its `created_at`. */
const maxSkewSeconds = 60

const floorToHour = (moment: Timestamp): number => Math.floor(toEpochMillis(moment) / 3_600_000) * 3_600_000

/**
 * Bounds of the ids of tasks whose time and creation are in the same hour, given bounds of the time. Tasks of another
 * hour are in the index `tasks_other_hour`.
 */
export const idBoundsOf = ({ since, until }: TaskFilter): IdBounds => ({
  lowest: since === null ? null : minIdAt(floorToHour(since) - maxSkewSeconds * 1000),
  highest: until === null ? null : maxIdAt(floorToHour(until) + 3_600_000 + maxSkewSeconds * 1000)
})
