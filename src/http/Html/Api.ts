import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { describeField } from "../../domain/kernel/Describe.ts"

/** The response of an endpoint that responds with an HTML page (`http/Html/HtmlPage.ts`). */
export const html = Schema.String.pipe(
  HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/html; charset=utf-8" })
)
  .annotations({ description: "An HTML page." })

/** The query of a page that a link leads to. The brain does not read the token; the page's script sends it in a body. */
export const LinkToken = Schema.Struct({
  token: describeField(
    Schema.optional(Schema.String),
    "The token of the link, which the page sends on.",
    "Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ"
  )
})
