import { Schema } from "effect"
import { describeField } from "./Describe.ts"
import { Timestamp } from "./Timestamp.ts"

/** A whole number of a query, in decimal digits, from `min` to `max`. */
export const wholeNumber = (min: number, max: number) => {
  const message = () => `must be a whole number from ${min} to ${max}`
  return Schema.compose(
    Schema.String.pipe(Schema.pattern(/^\d{1,9}$/, { message })),
    Schema.NumberFromString.pipe(Schema.between(min, max, { message }))
  ).annotations({ jsonSchema: { type: "integer", minimum: min, maximum: max } })
}

/** A parameter that the list does not have is refused, since the result without it would look like the requested one. */
export const strictQuery = { parseOptions: { onExcessProperty: "error" } } as const

/**
 * The query of a list whose response is a bare array. The next page's cursor is in a header
 * (`http/NextPageHeaders.ts`).
 */
export const ListParams = Schema.Struct({
  cursor: describeField(
    Schema.optional(Schema.String),
    "The header `X-SVC-Next-Cursor` of the page before.",
    "WyJyb3dzIiwiMDE5OWMwZGUiXQ"
  ),
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "The most rows of a page.", 200)
}).annotations(strictQuery)

/** The query of a list that has no parameters. A struct without members takes any, so the names are checked here. */
export const NoParams = Schema.Struct({}).pipe(Schema.filter((query) => {
  const [name] = Object.keys(query)
  return name === undefined || { path: [name], message: "is not a parameter of this list" }
}))

/** An unencoded plus sign arrives as a space: `…T00:00:00 02:00` means `+02:00`. */
export const QueryTimestamp = Schema.compose(
  Schema.transform(Schema.String, Schema.String, {
    strict: true,
    decode: (text) => text.replace(/ (\d\d:\d\d)$/, "+$1"),
    encode: (text) => text
  }),
  Timestamp
).annotations({ jsonSchema: { type: "string", format: "date-time" } })

export const QueryBoolean = Schema.compose(
  Schema.Lowercase,
  Schema.transformLiterals(["true", true], ["1", true], ["false", false], ["0", false])
).annotations({ jsonSchema: { type: "boolean" } })

/** Accepted 1 to 5000, then clamped to SVC_REST_MAX_PAGE_SIZE (interface, Limits). */
export const QueryLimit = wholeNumber(1, 5000)

/** The place and the size of a page whose response has `next_cursor` (`Page.ts`). */
export const pageQuery = {
  cursor: describeField(
    Schema.optional(Schema.String),
    "`next_cursor` of the page before.",
    "WyJ0YXNrcyIsIjAxOTljMGRlIl0"
  ),
  limit: describeField(Schema.optional(QueryLimit), "Rows of a page; at most `SVC_REST_MAX_PAGE_SIZE`.", 50)
}

export const ExportFormat = Schema.Literal("csv", "json", "xlsx")
export type ExportFormat = typeof ExportFormat.Type

export const exportFormat = describeField(
  Schema.optional(ExportFormat),
  "A file of all matching rows instead of a page.",
  "csv"
)

/** The terms of a request that were given. */
export const omitNullTerms = (terms: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(terms).filter(([, term]) => term !== null))

/** Terms as people read them: of ids the number. */
export const summarizeTerms = (terms: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Array.isArray(terms.task_ids) ? { ...terms, task_ids: terms.task_ids.length } : terms
