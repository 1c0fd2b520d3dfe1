import { OpenApi } from "@effect/platform"
import type { Rule } from "../../src/domain/Access.ts"
import { Api } from "../../src/http/Api.ts"
import { rules } from "../../src/http/Rules.ts"

/** As much of JSON Schema as the document uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
}

/** An endpoint as the OpenAPI document shows it, with its declared access. */
export interface Operation {
  readonly method: string
  /** `/api/v1/projects/{slug}/…` */
  readonly path: string
  readonly route: string
  /** Matches the paths that it answers. */
  readonly pattern: RegExp
  readonly rule: Rule
  readonly pathParameters: ReadonlyArray<string>
  readonly query: ReadonlyArray<string>
  /** The fields of the body, and those that it must have; null where there is no body. */
  readonly body: { readonly fields: Readonly<Record<string, JsonSchema>>; readonly required: ReadonlyArray<string> } | null
}

interface Documented {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string }>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
}

// the package types the document more loosely than what these tests read of it
const document = OpenApi.fromApi(Api) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

const resolved = (schema: JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}

/** The JSON types that a field takes; empty: any. */
export const typesOf = (schema: JsonSchema): ReadonlyArray<string> => {
  const { anyOf, enum: literals, type } = resolved(schema)
  if (anyOf !== undefined) return anyOf.flatMap(typesOf)
  if (type !== undefined) return [type]
  return literals === undefined ? [] : literals.map((literal) => typeof literal)
}

export const operations: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([name, { parameters = [], requestBody }]) => {
    const method = name.toUpperCase()
    const route = `${method} ${path.replace(/\{([a-z_]+)\}/g, ":$1")}`
    const rule = rules.get(route)
    if (rule === undefined) throw new Error(`${route} is documented and has no rule`)
    const declared = Object.values(requestBody?.content ?? {})[0]?.schema
    const schema = declared === undefined ? undefined : resolved(declared)
    const named = (place: string) => parameters.filter((parameter) => parameter.in === place).map((parameter) => parameter.name)
    return {
      method,
      path,
      route,
      pattern: new RegExp(`^${path.replace(/\{[a-z_]+\}/g, "[^/]+")}$`),
      rule,
      pathParameters: named("path"),
      query: named("query"),
      body: schema === undefined ? null : { fields: schema.properties ?? {}, required: schema.required ?? [] }
    }
  }))
