import { OpenApi } from "@effect/platform"
import type { AccessRule } from "../../src/domain/kernel/Access.ts"
import { accessRules } from "../../src/http/AccessRules.ts"
import { DocumentedApi } from "../../src/http/Docs/Document.ts"
import type { JsonSchema } from "./fuzz/JsonSchema.ts"

interface Content {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: JsonSchema
}

/** As much of an OpenAPI document as the tests read. */
export interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, {
          readonly parameters?: ReadonlyArray<Parameter>
          readonly requestBody?: Content
          readonly responses: Readonly<Record<string, Content>>
          readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
        }>
      >
    >
  >
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Content>>
  }
}

/** An endpoint as the OpenAPI document shows it, with its declared access. */
export interface Operation {
  readonly method: string
  /** `/api/v1/projects/{slug}/…` */
  readonly path: string
  readonly route: string
  /** Matches the paths that it serves. */
  readonly pattern: RegExp
  readonly rule: AccessRule
  readonly pathParameters: ReadonlyArray<string>
  readonly query: ReadonlyArray<string>
  readonly querySchemas: Readonly<Record<string, JsonSchema>>
  /** The schema of the body, its fields, and those that it must have; null where there is no body. */
  readonly body: {
    readonly schema: JsonSchema
    readonly fields: Readonly<Record<string, JsonSchema>>
    readonly required: ReadonlyArray<string>
  } | null
  /** Content types and their schemas by status. */
  readonly responses: Readonly<Record<string, Content>>
  /** The credentials that open it, any of them; none: it is public. */
  readonly security: ReadonlyArray<string>
}

export const bodyType = ({ rule }: Operation): string =>
  rule.form === true ? "application/x-www-form-urlencoded" : "application/json"

export const encodeBody = ({ rule }: Operation, body: Readonly<Record<string, unknown>>): string =>
  rule.form === true
    ? new URLSearchParams(Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)])))
      .toString()
    : JSON.stringify(body)

/** The endpoints of the brain's document; not the routes beside the API. */
export const operationsOf = ({ components, paths }: Document): ReadonlyArray<Operation> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([name, { parameters = [], requestBody, responses, security = [] }]) => {
      const method = name.toUpperCase()
      const route = `${method} ${path.replaceAll(":", "::").replace(/\{([a-z_]+)\}/g, ":$1")}`
      const rule = accessRules.get(route)
      if (rule === undefined) return []
      const schema = Object.values(requestBody?.content ?? {})[0]?.schema
      const { properties = {}, required = [] } = components.schemas[schema?.$ref?.split("/").at(-1) ?? ""] ?? schema ??
        {}
      const named = ({ $ref, ...content }: Content) => components.responses[$ref?.split("/").at(-1) ?? ""] ?? content
      const query = parameters.filter((parameter) => parameter.in === "query")
      return [{
        method,
        path,
        route,
        pattern: new RegExp(`^${path.replace(/\{[a-z_]+\}/g, "[^/]+")}$`),
        rule,
        pathParameters: parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name),
        query: query.map(({ name }) => name),
        querySchemas: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
        body: schema === undefined ? null : { schema, fields: properties, required },
        responses: Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, named(response)])),
        // `{}` beside others: public, but a signed-in caller counts
        security: security.some((any) => Object.keys(any).length === 0)
          ? []
          : security.flatMap((any) => Object.keys(any)).filter((name) => name !== "csrf_token")
      }]
    })
  )

// the package types the document more loosely than what these tests read of it
export const operations = operationsOf(OpenApi.fromApi(DocumentedApi) as unknown as Document)
