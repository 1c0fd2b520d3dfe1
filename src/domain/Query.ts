import { Schema } from "effect"
import { describe } from "./Describe.ts"

/** A whole number of a query, in decimal digits, from `least` to `most`. */
export const whole = (least: number, most: number) => {
  const message = () => `must be a whole number from ${least} to ${most}`
  return Schema.compose(
    Schema.String.pipe(Schema.pattern(/^\d{1,9}$/, { message })),
    Schema.NumberFromString.pipe(Schema.between(least, most, { message }))
  ).annotations({ jsonSchema: { type: "integer", minimum: least, maximum: most } })
}

/** The query of a list whose answer is a bare array: the next page begins at the cursor in a header (`http/NextPage.ts`). */
export const RowsParams = Schema.Struct({
  cursor: describe(Schema.optional(Schema.String), "The header `X-SVC-Next-Cursor` of the page before.", "WyJyb3dzIiwiMDE5OWMwZGUiXQ"),
  limit: describe(Schema.optional(whole(1, 500)), "The most rows of a page.", 200)
})
