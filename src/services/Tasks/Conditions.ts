import type { SqlClient, Statement } from "@effect/sql"
import { formsOf } from "../../domain/Letters.ts"
import type { TaskFilter } from "../../domain/Task/Filter.ts"
import type { TaskFacet } from "../../domain/TaskFacet.ts"
import { type Timestamp, toEpochMillis } from "../../domain/Timestamp.ts"
import { highestAt, lowestAt } from "../Ids.ts"

export type Fragment = Statement.Fragment

/** What a search term is looked for in; `value` is the table of facets' own. */
type Searched = TaskFacet | "task_id" | "exception" | "value"

/** Both ends included; null is open. */
interface IdBounds {
  readonly lowest: string | null
  readonly highest: string | null
}

/** The moment that `since` and `until` bound. */
const moment = "COALESCE(received_at, first_event_at)"

/** As the partial index `tasks_other_hour` says it: the few rows of which `idsOf` does not hold. */
const otherHour = `substr(${moment}, 1, 13) <> substr(created_at, 1, 13)`

/** The terms of a filter as SQL that looks at one row; all text of callers goes in as parameters. */
export const conditionsOn = (sql: SqlClient.SqlClient) => {
  const position = sql.onDialectOrElse({ pg: () => sql.literal("strpos"), orElse: () => sql.literal("instr") })

  /** Letter for letter. */
  const has = (column: TaskFacet | "value", part: string) => sql`${position}(${sql(column)}, ${part}) > 0`

  const like = (column: Searched, pattern: string) => sql`${sql(column)} LIKE ${pattern} ESCAPE '\\'`

  /** ASCII letters in either case: what SQLite's LIKE does, and PostgreSQL's ILIKE under the collation "C". */
  const likeInEitherCase = (column: Searched, pattern: string): ReadonlyArray<Fragment> =>
    sql.onDialectOrElse({
      pg: () => {
        // ILIKE takes twice the time of LIKE: what is no letter decides first
        const loose = pattern.replace(/[a-z]/gi, "_")
        return [
          ...(/[^_%]/.test(loose) ? [like(column, loose)] : []),
          ...(/[a-z]/i.test(pattern) ? [sql`${sql(column)} ILIKE ${pattern} ESCAPE '\\'`] : [])
        ]
      },
      orElse: () => [like(column, pattern)]
    })

  /** The term somewhere in the column, its letters in any of their forms (`Letters.ts`). */
  const resembles = (column: Searched, term: string) => {
    const characters = [...term]
    const pattern = `%${characters.map((one) => formsOf(one) === undefined ? one.replace(/[\\%_]/, "\\$&") : "_").join("")}%`
    if (characters.every((one) => formsOf(one) === undefined)) return sql.and(likeInEitherCase(column, pattern))
    const exact = sql.onDialectOrElse({
      pg: () => sql`${sql(column)} ~ ${regexOf(characters)}`,
      orElse: () => sql`${sql(column)} GLOB ${globOf(characters)}`
    })
    // most values are plain ASCII, and the ASCII letters of the term decide about most others
    const worthALook = sql`octet_length(${sql(column)}) > length(${sql(column)})`
    return sql.and([worthALook, ...likeInEitherCase(column, pattern), exact])
  }

  /** One of many values, as one parameter: the statement's text stays the same. */
  const oneOf = (column: TaskFacet, values: ReadonlyArray<string>) =>
    sql.onDialectOrElse({
      pg: () => sql`${sql(column)} = ANY(${values}::text[])`,
      orElse: () => sql`${sql(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
    })

  /** All terms but name and search. */
  const plain = (filter: TaskFilter): ReadonlyArray<Fragment> => {
    const terms: Array<Fragment> = []
    if (filter.state !== null) terms.push(sql`state = ${filter.state}`)
    if (filter.queue !== null) terms.push(sql`queue = ${filter.queue}`)
    if (filter.worker !== null) terms.push(sql`worker_name = ${filter.worker}`)
    if (filter.priority !== null) terms.push(sql`priority IN ${sql.in([...new Set(filter.priority)])}`)
    if (filter.since !== null) terms.push(sql`${sql.literal(moment)} >= ${filter.since}`)
    if (filter.until !== null) terms.push(sql`${sql.literal(moment)} <= ${filter.until}`)
    return terms
  }

  const columns = ["name", "queue", "worker_name", "task_id"] as const
  const anyColumn = (term: string, filter: TaskFilter) =>
    sql.or((filter.search_exceptions ? [...columns, "exception"] as const : columns).map((column) => resembles(column, term)))

  /** Every term, without knowing which names exist: for a walk over a bounded number of rows. */
  const everything = (filter: TaskFilter): ReadonlyArray<Fragment> => [
    ...plain(filter),
    ...(filter.name === null ? [] : [has("name", filter.name)]),
    ...(filter.search === null ? [] : [anyColumn(filter.search, filter)])
  ]

  return { has, resembles, oneOf, plain, everything, otherHour: sql.literal(otherHour) } as const
}
export type Conditions = ReturnType<typeof conditionsOn>

/** The forms of a character as a class of a pattern; null where it has one form. */
const classOf = (character: string): string | null =>
  /[a-z]/i.test(character)
    ? `[${character.toLowerCase()}${character.toUpperCase()}]`
    : formsOf(character) === undefined ? null : `[${[...formsOf(character) ?? []].join("")}]`

const globOf = (characters: ReadonlyArray<string>): string =>
  `*${characters.map((one) => classOf(one) ?? (/[*?[]/.test(one) ? `[${one}]` : one)).join("")}*`

/** A backslash before what is no letter or digit makes it plain in a regular expression of PostgreSQL. */
const regexOf = (characters: ReadonlyArray<string>): string =>
  characters.map((one) => classOf(one) ?? (/[!-/:-@[-`{-~]/.test(one) ? `\\${one}` : one)).join("")

/** An id and `created_at` are taken from the clock within this many seconds. */
const apart = 60

const floorToHour = (moment: Timestamp): number => Math.floor(toEpochMillis(moment) / 3_600_000) * 3_600_000

/**
 * The ids between which a task can lie whose moment and creation fall into the same hour, given bounds of the moment.
 * Tasks of another hour are in the index `tasks_other_hour`.
 */
export const idsOf = ({ since, until }: TaskFilter): IdBounds => ({
  lowest: since === null ? null : lowestAt(floorToHour(since) - apart * 1000),
  highest: until === null ? null : highestAt(floorToHour(until) + 3_600_000 + apart * 1000)
})
