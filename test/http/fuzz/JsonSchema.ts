/** As much of JSON Schema as the brain's document uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: "array" | "boolean" | "integer" | "null" | "number" | "object" | "string"
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly format?: string
}

const understood = new Set<string>([
  "$ref",
  "type",
  "enum",
  "anyOf",
  "allOf",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "pattern",
  "format",
  "title",
  "description",
  "examples"
])

const formats: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
}

/** A place in a value, and what the schema says of it. */
export interface Violation {
  readonly path: ReadonlyArray<string>
  readonly why: string
}

const typeOf = (value: unknown) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeOf(value) === "object"

/** Checks values against schemas of a document. A keyword that it does not know is an error, not a pass. */
export const validator = (schemas: Readonly<Record<string, JsonSchema>>) => {
  const resolved = (schema: JsonSchema): JsonSchema => {
    const strange = Object.keys(schema).find((keyword) => !understood.has(keyword))
    if (strange !== undefined) throw new Error(`JSON Schema's ${strange} is not understood`)
    if (schema.$ref === undefined) return schema
    const found = schemas[schema.$ref.replace("#/components/schemas/", "")]
    if (found === undefined) throw new Error(`${schema.$ref} is not in the document`)
    return { ...resolved(found), ...schema }
  }

  const violations = (
    declared: JsonSchema,
    value: unknown,
    path: ReadonlyArray<string> = []
  ): ReadonlyArray<Violation> => {
    const schema = resolved(declared)
    const found: Array<Violation> = []
    const must = (holds: boolean, why: string) => void (holds || found.push({ path, why }))
    if (schema.type === "integer") must(Number.isInteger(value), "is no integer")
    else if (schema.type !== undefined) must(typeOf(value) === schema.type, `is no ${schema.type}`)
    if (schema.enum !== undefined) must(schema.enum.includes(value), `is none of ${schema.enum.join()}`)
    for (const one of schema.allOf ?? []) found.push(...violations(one, value, path))
    if (schema.anyOf !== undefined) {
      const tries = schema.anyOf.map((one) => violations(one, value, path))
      // the form that fits furthest gives the best message
      const furthest = tries.find((all) => all.some((one) => one.path.length > path.length)) ?? tries[0] ?? []
      if (tries.every(({ length }) => length > 0)) found.push(...furthest)
    }
    if (typeof value === "string") {
      const { format, maxLength = Infinity, minLength = 0, pattern } = schema
      const length = Array.from(value).length
      must(length >= minLength && length <= maxLength, `has ${length} characters, not ${minLength} to ${maxLength}`)
      must(pattern === undefined || new RegExp(pattern, "u").test(value), `does not match ${pattern}`)
      if (format !== undefined) {
        const form = formats[format]
        if (form === undefined) throw new Error(`the format ${format} is not understood`)
        must(form.test(value), `is no ${format}`)
      }
    }
    if (typeof value === "number") {
      const { maximum = Number.MAX_VALUE, minimum = -Number.MAX_VALUE } = schema
      must(value >= minimum && value <= maximum, `is not within ${minimum} to ${maximum}`)
    }
    if (Array.isArray(value)) {
      const { items, maxItems = Infinity, minItems = 0, uniqueItems = false } = schema
      must(
        value.length >= minItems && value.length <= maxItems,
        `has ${value.length} items, not ${minItems} to ${maxItems}`
      )
      must(!uniqueItems || new Set(value).size === value.length, "has an item twice")
      if (items !== undefined) {
        value.forEach((item, index) => found.push(...violations(items, item, [...path, String(index)])))
      }
    }
    if (isObject(value)) {
      const { additionalProperties = true, properties = {}, required = [] } = schema
      for (const name of required) {
        if (!Object.hasOwn(value, name)) found.push({ path: [...path, name], why: "is missing" })
      }
      for (const [name, member] of Object.entries(value)) {
        const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
        if (own === false) found.push({ path: [...path, name], why: "is not declared" })
        else if (own !== undefined && own !== true) found.push(...violations(own, member, [...path, name]))
      }
    }
    return found
  }

  return { resolved, violations } as const
}

export type Validator = ReturnType<typeof validator>
