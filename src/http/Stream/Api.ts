import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { Authenticated, InProject } from "../Access.ts"
import { slug } from "../Projects/Api.ts"

/** Live updates by server-sent events (docs/api.md, Live updates). */
export class StreamApi extends HttpApiGroup.make("stream")
  .add(
    HttpApiEndpoint.get("stream")`/projects/${slug}/stream`
      .addSuccess(Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/event-stream" })))
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
  )
  .middleware(InProject)
  .middleware(Authenticated)
{}
