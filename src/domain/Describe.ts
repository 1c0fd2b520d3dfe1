import { Schema, SchemaAST } from "effect"

/**
 * A field as the reference shows it: what it is, in a sentence, and one value of it. The example is of the decoded
 * type; one that the schema does not encode is missing from the document, which `test/http/Reference.test.ts` finds.
 */
export function describe<A, I, R, S extends Schema.Schema<A, I, R>>(
  field: S & Schema.Schema<A, I, R>,
  description: string,
  example: A
): Schema.propertySignature<S>
export function describe<P extends Schema.PropertySignature.All>(
  field: P,
  description: string,
  example: Schema.Schema.Type<P>
): P
export function describe(field: Schema.Schema.Any | Schema.PropertySignature.All, description: string, example: unknown) {
  const signature: Schema.PropertySignature.All = Schema.isSchema(field) ? Schema.propertySignature(field) : field
  // the cast: of a signature of any type nothing is known but that it takes examples; the overloads say of which type
  return signature.annotations({ description, examples: [example as never] })
}

/**
 * A body as the reference names and describes it. The second identifier is the one that outlives a status
 * (`addSuccess(…, { status: 201 })`) and whatever else annotates the schema later.
 */
export const named = (name: string, description: string) => ({
  identifier: name,
  [SchemaAST.JSONIdentifierAnnotationId]: name,
  description
})
