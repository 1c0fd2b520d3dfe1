import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"

/** What an endpoint answers that shows a page (`src/http/Page.ts`). */
export const html = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/html; charset=utf-8" }))
