import { Schema } from "effect"

/** How values are kept in both databases: booleans as INTEGER 0 or 1, structures as JSON text. */
export const Flag = Schema.transform(Schema.Number, Schema.Boolean, {
  strict: true,
  decode: (stored) => stored === 1,
  encode: (flag) => (flag ? 1 : 0)
})

export const Json = <A, I>(schema: Schema.Schema<A, I>) => Schema.parseJson(schema)
