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
  // the cast: of a signature of any type nothing is known but that it takes examples; the overloads say of which type
  return signature.annotations({ description, ...(example !== undefined && { examples: [example as never] }) })
}

/**
 * A body as the reference names and describes it. The second identifier is the one that outlives a status
 * (`addSuccess(…, { status: 201 })`) and whatever else annotates the schema later.
 */
export const describeBody = (name: string, description: string) => ({
  identifier: name,
  [SchemaAST.JSONIdentifierAnnotationId]: name,
  description
})
