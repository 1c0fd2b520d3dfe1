import fc from "fast-check"
import type { JsonSchema } from "./JsonSchema.ts"

/** A placeholder for a value that the world knows by its name: an id of something that is there, a password. */
export const known = (name: string): string => `<<${name}>>`

/** Printable text of any language, and what such text is mixed up with: emoji, right-to-left, its marks, white space. */
const awkward = fc.constantFrom(
  ..."💩 👨‍👩‍👧‍👦 שלום \u202e\u2066 e\u0301 \ufeff \u2028 \u00a0 İ ﬀ ' \" %_\\ ../ ${x} {{x}} NaN null -1".split(" "),
  "\t",
  "\r\n"
)
const piece = fc.oneof({ weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) }, awkward)

const clipped = (text: string, maxLength: number) => Array.from(text).slice(0, maxLength).join("")

const text = (
  isPlain: boolean,
  { format, maxLength = 60, minLength = 0, pattern }: JsonSchema
): fc.Arbitrary<string> => {
  if (format === "uuid") return fc.uuid()
  if (format === "date-time") {
    return fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-30T00:00:00Z"),
      noInvalidDate: true
    })
      .map((date) => date.toISOString())
  }
  // fast-check does not take classes of Unicode
  if (pattern?.includes("@")) return fc.nat().map((n) => `fuzz-${n}@example.com`)
  if (pattern !== undefined) {
    return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length >= minLength && length <= maxLength)
  }
  if (isPlain) {
    return fc.integer({ min: Math.max(minLength, 1), max: Math.min(maxLength, 40) }).map((length) => "x".repeat(length))
  }
  const filled = fc.array(piece, { maxLength: 6 }).map((pieces) =>
    clipped(pieces.join("") + "x".repeat(minLength), maxLength)
  )
  return fc.oneof(
    { weight: 6, arbitrary: filled },
    fc.constantFrom("x".repeat(minLength), "x".repeat(maxLength), "é".repeat(maxLength))
  )
}

/**
 * Values that a schema takes. A member of an object is mostly the one that the world knows under its name. `plain`: always,
 * and other text is ASCII, so that only the schema can refuse it.
 */
export const validOf = (
  resolved: (schema: JsonSchema) => JsonSchema,
  isKnown: (name: string) => boolean,
  isPlain: boolean
) => {
  const members = ({ additionalProperties, properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> => {
    const entries = Object.entries(properties)
    if (entries.length === 0 && typeof additionalProperties === "object") {
      return fc.dictionary(fc.oneof(piece, fc.constantFrom("__proto__", "constructor")), valid(additionalProperties), {
        maxKeys: 4
      })
    }
    const member = (name: string, schema: JsonSchema) =>
      !isKnown(name)
        ? valid(schema)
        : isPlain
        ? fc.constant(known(name))
        : fc.oneof({ weight: 3, arbitrary: fc.constant(known(name)) }, valid(schema))
    const arbitraries = Object.fromEntries(entries.map(([name, schema]) => [name, member(name, schema)]))
    return fc.record(arbitraries, { requiredKeys: [...required], noNullPrototype: true })
  }

  const valid = (declared: JsonSchema): fc.Arbitrary<unknown> => {
    const schema = resolved(declared)
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valid))
    if (schema.allOf !== undefined) return valid(Object.assign({}, ...schema.allOf.map(resolved)))
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    const {
      items = {},
      maximum = Number.MAX_SAFE_INTEGER,
      maxItems = 5,
      minimum = Number.MIN_SAFE_INTEGER,
      minItems = 0
    } = schema
    switch (schema.type) {
      case "string":
        return text(isPlain, schema)
      case "boolean":
        return fc.boolean()
      case "null":
        return fc.constant(null)
      case "integer":
        return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum))
      case "number":
        return fc.double({ min: minimum, max: maximum, noNaN: true })
      case "array":
        return (schema.uniqueItems === true ? fc.uniqueArray : fc.array)(valid(items), {
          minLength: minItems,
          maxLength: Math.min(maxItems, minItems + 4)
        })
      case "object":
        return members(schema)
      default:
        return fc.jsonValue({ maxDepth: 3 })
    }
  }
  return valid
}

/** JSON texts just outside of what a schema takes: a character, an item or a one too many or too few. */
export const outside = (resolved: (schema: JsonSchema) => JsonSchema) => {
  const just = (declared: JsonSchema): ReadonlyArray<string> => {
    const schema = resolved(declared)
    const { items, maximum, maxItems, maxLength, minimum, minItems = 0, minLength = 0 } = schema
    return [
      ...(schema.anyOf ?? schema.allOf ?? []).flatMap(just),
      ...(maxLength === undefined
        ? []
        : [JSON.stringify("x".repeat(maxLength + 1)), JSON.stringify("💩".repeat(maxLength + 1))]),
      ...(minLength > 0 ? [JSON.stringify("x".repeat(minLength - 1))] : []),
      ...(maximum === undefined ? [] : [String(maximum + 1)]),
      ...(minimum === undefined ? [] : [String(minimum - 1)]),
      ...(maxItems === undefined ? [] : [`[${Array(maxItems + 1).fill("\"x\"").join()}]`]),
      ...(minItems > 0 ? ["[]"] : []),
      ...(schema.enum === undefined
        ? []
        : ["\"none of them\"", JSON.stringify(String(schema.enum[0]).toUpperCase()), "\"\""]),
      ...(items === undefined ? [] : just(items).map((item) => `[${item}]`)),
      ...(schema.format === undefined ? [] : [`"no ${schema.format}"`]),
      ...(schema.type === "integer" ? ["1.5", "\"1\"", "1e3"] : [])
    ]
  }
  return just
}
