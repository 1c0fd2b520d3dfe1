import { HttpApiSchema, OpenApi } from "@effect/platform"
import type { Schema } from "effect"

/** A path parameter as the reference shows it. */
export const pathParameter = <Name extends string, A, R>(
  name: Name,
  schema: Schema.Schema<A, string, R> & Schema.Annotable<Schema.Schema<A, string, R>, A, string, R>,
  description: string,
  example: A
) => HttpApiSchema.param(name, schema.annotations({ description, examples: [example] }))

export interface Parameter {
  readonly in: "header" | "query"
  readonly name: string
  readonly description: string
  readonly example: string
  readonly required?: boolean
  readonly pattern?: string
}

export const describeParameter = (
  { example, pattern, required = false, ...rest }: Parameter
): OpenApi.OpenAPISpecParameter => ({
  ...rest,
  required,
  schema: { type: "string", examples: [example], ...(pattern !== undefined && { pattern }) }
})

/** Names parameters in the document that the endpoint's schemas do not read. */
export const withParameters = (...parameters: ReadonlyArray<Parameter>) =>
  OpenApi.annotations({
    transform: (operation) => ({
      ...operation,
      // what fromApi hands over
      parameters: [...(operation as OpenApi.OpenAPISpecOperation).parameters, ...parameters.map(describeParameter)]
    })
  })

/** On each operation that creates (`creates` of its access rule). */
export const idempotencyKey: Parameter = {
  in: "header",
  name: "Idempotency-Key",
  description: "Makes a repetition safe: within 24 hours the same key and body get the first response again.",
  example: "create-shop-2026-01-31",
  pattern: "^[\\x21-\\x7e]{1,200}$"
}

/** The nonce of a long-poll session. */
export const sessionNonce: Parameter = {
  in: "header",
  name: "X-SVC-Session-Nonce",
  description: "The session's nonce, 16 to 64 URL-safe characters; `X-Z4J-Session-Nonce` is taken too.",
  example: "c2Vzc2lvbi1ub25jZS0xMjM"
}

/** Part of the description of a list whose response is a bare array. */
export const pagedRowsDescription = "Newest first; where there are more, the headers `Link` (`rel=\"next\"`) and " +
  "`X-SVC-Next-Cursor` say where the list continues."
