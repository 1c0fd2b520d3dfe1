import type { SqlClient, Statement } from "@effect/sql"
import { canonicalize } from "../../domain/kernel/CanonicalJson.ts"
import type { TaskTerm, TextPattern } from "../../domain/tasks/Task/Expression.ts"

type PayloadTerm = Extract<TaskTerm, { readonly kind: "payload" }>

/** As it is written within the quotation marks of canonical JSON. */
const escapeText = (text: string): string => canonicalize(text).slice(1, -1)

/** The pattern on the JSON of a value: a string is quoted, other values are not. */
const onJson = ({ match, text }: TextPattern): ReadonlyArray<TextPattern> => {
  const escaped = match === "glob" ? text.split("*").map(escapeText).join("*") : escapeText(text)
  return [{ match, text: `"${escaped}"` }, { match, text }]
}

/** The longest text that each match contains. */
const needleOf = ({ match, text }: TextPattern): string =>
  escapeText((match === "glob" ? text.split("*") : [text]).reduce((a, b) => (b.length > a.length ? b : a)))

/**
 * Conditions on the JSON of a task: its values at a place, and its tags. JSON is stored in its canonical form, so that
 * equal values are equal texts. A row is parsed only where its text contains what is sought.
 */
export const makePayloadConditions = (
  sql: SqlClient.SqlClient,
  matchesAnyPattern: (column: Statement.Fragment, patterns: ReadonlyArray<TextPattern>) => Statement.Fragment
) => {
  const position = sql.onDialectOrElse({ pg: () => sql.literal("strpos"), orElse: () => sql.literal("instr") })
  const contains = (column: Statement.Fragment, part: string) => sql`${position}(${column}, ${part}) > 0`

  /** The JSON at a place; null where there is none. */
  const jsonAt = ({ column, path }: PayloadTerm): Statement.Fragment =>
    sql.onDialectOrElse({
      pg: () => {
        const steps = path.map((name) => typeof name === "number" ? sql` -> ${name}::int` : sql` -> ${name}::text`)
        return sql`(${sql(column)}::json${sql.join("", false)(steps)})::text`
      },
      orElse: () => {
        const steps = path.map((name) => (typeof name === "number" ? `[${name}]` : `."${name}"`))
        return sql`(${sql(column)} -> ${`$${steps.join("")}`})`
      }
    })

  /** PostgreSQL fails on a NUL in JSON, which its texts cannot hold. A task with one is not found by its values. */
  const isReadable = (column: string): ReadonlyArray<Statement.Fragment> =>
    sql.onDialectOrElse({ pg: () => [sql`strpos(${sql(column)}, ${"\\u0000"}) = 0`], orElse: () => [] })

  const matchesPayload = (term: PayloadTerm): Statement.Fragment => {
    const { column, patterns } = term
    const mayMatch = sql.or(patterns.map(needleOf).map((needle) => contains(sql`${sql(column)}`, needle)))
    return sql`CASE WHEN ${sql.and([mayMatch, ...isReadable(column)])}
      THEN ${matchesAnyPattern(jsonAt(term), patterns.flatMap(onJson))} ELSE FALSE END`
  }

  /** Between its commas, because a tag may contain any character. */
  const hasTag = (tag: string): Statement.Fragment =>
    contains(sql`',' || substr(tags, 2, length(tags) - 2) || ','`, `,${JSON.stringify(tag)},`)

  return { matchesPayload, hasTag } as const
}
