/**
 * Custom methods (Google AIP-136): paths that end in `:verb`, such as `/projects/{slug}/schedules:preview`.
 *
 * HttpApi writes the colon as `::` in the route, which its router reads as a colon. Its client and its document read
 * `:verb` as a parameter instead. So the path's schema encodes that parameter, always as the verb itself: the client then
 * builds the true address.
 */
import type { OpenApi } from "@effect/platform"
import { Record, Schema } from "effect"
import { slug } from "./ProjectPath.ts"

/** The parameters of ``post("preview")`/projects/${slug}/schedules:preview` ``: handlers and callers see the slug. */
export const pathWithVerb = (verb: string) =>
  Schema.transform(
    Schema.Struct({ slug }, Schema.Record({ key: Schema.String, value: Schema.String })),
    Schema.Struct({ slug: Schema.String }),
    {
      strict: true,
      decode: ({ slug }) => ({ slug }),
      encode: ({ slug }) => ({ slug, [verb]: verb })
    }
  )

/** A route's path as the OpenAPI document has it, with its parameters in braces. */
export const documentPathOf = (path: string): string => path.replace(/(?<!:):(\w+)/g, "{$1}").replaceAll("::", ":")

/** Gives custom methods their paths, in the place where the document has them. */
export const showCustomMethods = (document: OpenApi.OpenAPISpec): void => {
  document.paths = Record.mapKeys(document.paths, (path) => path.replace(/:\{(\w+)\}$/, ":$1"))
}
