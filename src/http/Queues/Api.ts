import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { RowsParams } from "../../domain/Query.ts"
import { Queue } from "../../domain/Queue.ts"
import { Authenticated, InProject } from "../Access.ts"
import { slug } from "../Projects/Api.ts"
import { pagedRows } from "../Docs/Parameters.ts"
import { inChapter, operation } from "../Docs/Tags.ts"

/** The engines' queues (bodies: queues). */
export class QueuesApi extends HttpApiGroup.make("queues")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/queues`
      .setUrlParams(RowsParams)
      .addSuccess(Schema.Array(Queue))
      .annotate(Access, { caller: "viewer", scope: "queues:read" })
      .annotateContext(operation("List queues", `What the agents reported of them. ${pagedRows}`))
  )
  .middleware(InProject)
  .middleware(Authenticated)
  .annotateContext(inChapter("Queues and workers"))
{}
