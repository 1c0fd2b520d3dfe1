/** Cleans the schemas of `OpenApi.fromApi` for readers and generators, and adds examples. */

import { Record } from "effect"

/** A part of the document, as far as its keys are read here. */
export type Part = Record<string, unknown>

// an object that is not an array has names and values
const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null && !Array.isArray(value)

/** Every object within a part of the document, itself among them, outermost first. */
export const partsIn = (value: unknown): ReadonlyArray<Part> =>
  typeof value !== "object" || value === null
    ? []
    : [...(isPart(value) ? [value] : []), ...Object.values(value).flatMap(partsIn)]

const prefix = "#/components/schemas/"

export const componentNameOf = (ref: unknown): string | undefined =>
  typeof ref === "string" && ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined

/** Effect's generated refinement text ("a string matching the pattern …"), which repeats the schema keywords. */
const isNoise = (text: unknown) => typeof text === "string" && /^(an?|the) /.test(text)

/** An example of a query as JSON has it: the schema encodes it as the query's text. */
const asTyped = (type: unknown, example: unknown): unknown =>
  typeof example !== "string" || !["integer", "number", "boolean"].includes(String(type))
    ? example
    : JSON.parse(example)

/** Whether a component is a plain string or number, without an enum. Such components are inlined. */
const isScalar = (schema: unknown): schema is Part =>
  isPart(schema) && schema.enum === undefined && ["string", "integer", "number"].includes(String(schema.type))

/** Changes the document's schemas in place. */
export const cleanSchemas = (
  document: { readonly components: { readonly schemas: Part } }
): void => {
  const { schemas } = document.components
  const scalars = Record.filter(schemas, isScalar)
  const scalarOf = ({ $ref }: Part) => scalars[componentNameOf($ref) ?? ""]
  for (const part of partsIn(document)) {
    const [only, ...others] = Array.isArray(part.allOf) ? part.allOf : []
    // a field with a default wraps its schema, which has its range
    const wrapped: Part = others.length === 0 && isPart(only) ? only : {}
    const scalar = scalarOf(part) ?? scalarOf(wrapped)
    if (scalar !== undefined) {
      delete part.$ref
      delete part.allOf
      const { $ref: _, ...refined } = wrapped
      Object.assign(part, { ...scalar, ...refined, ...part })
    }
    delete part.$id
    if (part.title === "unknown" || part.title === "object" || part.title === part.type) delete part.title
    if (isNoise(part.description)) delete part.description
    if (Array.isArray(part.examples)) part.examples = part.examples.map((example) => asTyped(part.type, example))
  }
  for (const name of Object.keys(scalars)) delete schemas[name]
}

/** One value of a schema, from the examples of its fields. */
export const exampleOf = (schemas: Readonly<Part>) => {
  const valueOf = (schema: unknown): unknown => {
    if (!isPart(schema)) return null
    const { allOf, anyOf, enum: words, examples, items, properties, type } = schema
    if (Array.isArray(examples)) return examples[0]
    const name = componentNameOf(schema.$ref)
    if (name !== undefined) return valueOf(schemas[name])
    if (Array.isArray(allOf)) return valueOf(allOf[0])
    if (Array.isArray(anyOf)) return valueOf(anyOf[0])
    if (Array.isArray(words)) return words[0]
    if (isPart(properties)) {
      return Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, valueOf(field)]))
    }
    if (type === "array") return items === undefined ? [] : [valueOf(items)]
    return type === "object" ? {} : null
  }
  return valueOf
}
