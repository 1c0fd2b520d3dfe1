import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { Queue } from "../../../domain/agents/Queue.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { ListParams } from "../../../domain/kernel/Query.ts"
import { ProvideActor, ProvideProject } from "../../Access.ts"
import { pagedRowsDescription } from "../../Docs/Parameters.ts"
import { inChapter, operation } from "../../Docs/Tags.ts"
import { slug } from "../../ProjectPath.ts"

/** The engines' queues (bodies: queues). */
export class QueuesApi extends HttpApiGroup.make("queues")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/queues`
      .setUrlParams(ListParams)
      .addSuccess(Schema.Array(Queue))
      .annotate(Access, { caller: "viewer", scope: "queues:read" })
      .annotateContext(operation("List queues", `What the agents reported of them. ${pagedRowsDescription}`))
  )
  .middleware(ProvideProject)
  .middleware(ProvideActor)
  .annotateContext(inChapter("Queues and workers"))
{}
