import { Schema } from "effect"

/** A field of a PATCH body (bodies: `name?: T|null`). `selectChanges` defines what absent and null mean. */
export const patchField = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optional(Schema.NullOr(schema))

/** Whether a field of a struct may be null, described (`Describe.ts`) or not. */
const isNullable = (field: Schema.Struct.Field): boolean =>
  Schema.is(Schema.make<unknown>(Schema.Struct({ field }).ast))({ field: null })

/**
 * What a PATCH body changes of a record with these fields: an absent field keeps its value, and null clears a field that
 * may be null. The contract also lets null stand for a field that cannot be null; that field keeps its value.
 */
export const selectChanges = <F extends Schema.Struct.Fields>(
  fields: F,
  body: object
): Partial<Schema.Struct.Type<F>> => {
  const changes = Object.entries(body).filter(([name, value]) => {
    const field = fields[name]
    return field !== undefined && value !== undefined && (value !== null || isNullable(field))
  })
  // the body's schema made each value one of its field
  return Object.fromEntries(changes) as Partial<Schema.Struct.Type<F>>
}
