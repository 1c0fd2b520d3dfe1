import { Schema } from "effect"

/** How values are kept in both databases: booleans as INTEGER 0 or 1, structures as JSON text. */
export const BooleanColumn = Schema.transform(Schema.Number, Schema.Boolean, {
  strict: true,
  decode: (stored) => stored === 1,
  encode: (flag) => (flag ? 1 : 0)
})

export const JsonColumn = <A, I>(schema: Schema.Schema<A, I>) => Schema.parseJson(schema)
