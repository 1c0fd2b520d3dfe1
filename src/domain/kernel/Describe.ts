import { Schema, SchemaAST } from "effect"
import type { AnyId } from "./Id.ts"
import type { Timestamp } from "./Timestamp.ts"

/** What examples in the reference are made of. */
// the cast: an example of every kind of id
export const exampleId = "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10" as AnyId
export const exampleTime = "2026-01-31T09:26:53.589793Z" as Timestamp // it is of the normal form

/**
 * A field as the reference shows it: what it is, in a sentence, and one value of it. The example is of the decoded
 * type; one that the schema does not encode is missing from the document, which `test/http/Reference.test.ts` finds.
 * Without an example the reference makes one of the fields within.
 */
export function describeField<A, I, R, S extends Schema.Schema<A, I, R>>(
  field: S & Schema.Schema<A, I, R>,
  description: string,
  example?: NoInfer<A>
): Schema.propertySignature<S>
export function describeField<P extends Schema.PropertySignature.All>(
  field: P,
  description: string,
  example?: Schema.Schema.Type<P>
): P
export function describeField(
  field: Schema.Schema.Any | Schema.PropertySignature.All,
  description: string,
  example?: unknown
) {
  const signature: Schema.PropertySignature.All = Schema.isSchema(field) ? Schema.propertySignature(field) : field
  // the cast: the overloads guarantee that the field and `example` have the same type
  return signature.annotations({ description, ...(example !== undefined && { examples: [example as never] }) })
}

/**
 * The name and description of a body in the reference. The second identifier survives later annotations, such as a
 * status (`addSuccess(…, { status: 201 })`).
 */
export const describeBody = (name: string, description: string) => ({
  identifier: name,
  [SchemaAST.JSONIdentifierAnnotationId]: name,
  description
})
