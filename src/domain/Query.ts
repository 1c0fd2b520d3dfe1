import { Schema } from "effect"
import { describeField } from "./Describe.ts"

/** A whole number of a query, in decimal digits, from `min` to `max`. */
export const wholeNumber = (min: number, max: number) => {
  const message = () => `must be a whole number from ${min} to ${max}`
  return Schema.compose(
    Schema.String.pipe(Schema.pattern(/^\d{1,9}$/, { message })),
    Schema.NumberFromString.pipe(Schema.between(min, max, { message }))
  ).annotations({ jsonSchema: { type: "integer", minimum: min, maximum: max } })
}

/**
 * The query of a list that is answered with a bare array. The next page's cursor is in a header
 * (`http/NextPageHeaders.ts`).
 */
export const ListParams = Schema.Struct({
  cursor: describeField(
    Schema.optional(Schema.String),
    "The header `X-SVC-Next-Cursor` of the page before.",
    "WyJyb3dzIiwiMDE5OWMwZGUiXQ"
  ),
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "The most rows of a page.", 200)
})
