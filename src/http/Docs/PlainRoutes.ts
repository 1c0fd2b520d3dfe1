import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/kernel/Access.ts"
import { Ready, Unready } from "../../domain/kernel/Readiness.ts"
import { Alive } from "../../domain/operations/Health.ts"
import { plainGroup } from "../Groups.ts"
import { html } from "../Html/Api.ts"
import { withParameters } from "./Parameters.ts"
import { operation } from "./Tags.ts"

const metrics = Schema.String.pipe(
  HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/plain; version=0.0.4; charset=utf-8" })
)
  .annotations({ description: "Metrics in Prometheus' text format." })

const document = Schema.Record({ key: Schema.String, value: Schema.Unknown })
  .annotations({
    identifier: "OpenApiDocument",
    description: "An OpenAPI 3.1 document.",
    examples: [{ openapi: "3.1.0" }]
  })

/**
 * Routes outside the HttpApi definition. They are in the OpenAPI document but not in the derived client: no program that
 * uses the API calls them.
 */
export class PlainRoutesApi extends plainGroup("outside", "Agent protocol")
  .add(
    HttpApiEndpoint.get("alive", "/health").addSuccess(Alive).annotateContext(operation(
      "Check that the process runs",
      "The same as `GET /api/v1/health`, at the path that load balancers poll.",
      { tags: ["Health"] }
    ))
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready").addSuccess(Ready).addSuccess(Unready, { status: 503 })
      .annotateContext(operation(
        "Check that the brain can serve requests",
        "The same as `GET /api/v1/health/ready`, at the path that load balancers poll.",
        { tags: ["Health"] }
      ))
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics").addSuccess(metrics)
      .annotate(Access, { caller: "public", failureCodes: ["unauthenticated"] })
      .annotateContext(operation(
        "Read the metrics",
        "For Prometheus, with the metrics token. `docs/metrics.md` has every metric.",
        { tags: ["Health"], security: [{ metrics_token: [] }] }
      ))
  )
  .add(
    HttpApiEndpoint.get("connect", "/ws/agent")
      .addSuccess(HttpApiSchema.Empty(101).annotations({ description: "Switching to the WebSocket." }))
      .annotate(Access, { caller: "agent", failureCodes: ["upgrade_required", "unavailable"] })
      .annotateContext(operation(
        "Connect an agent",
        "A WebSocket (RFC 6455) whose first frame is the agent's hello. Over 600 connects a minute and address the socket is closed with 4429."
      ))
      .annotateContext(withParameters({
        in: "header",
        name: "Upgrade",
        description: "The protocol to switch to.",
        example: "websocket",
        required: true
      }))
  )
  .add(
    HttpApiEndpoint.get("document", "/api/v1/openapi.json").addSuccess(document)
      .annotate(Access, { caller: "public", bucket: "docs" })
      .annotateContext(operation(
        "Read this document",
        "OpenAPI 3.1, made from the program's own definitions.",
        { tags: ["Pages"] }
      ))
  )
  .add(
    HttpApiEndpoint.get("page", "/api/v1/docs").addSuccess(html)
      .annotate(Access, { caller: "public", bucket: "docs" })
      .annotateContext(operation("Show this document as a page", "HTML; it calls no other host.", { tags: ["Pages"] }))
  )
  .annotate(Access, { caller: "public" })
{}
