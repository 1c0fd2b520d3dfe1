import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { Queue, QueueTarget } from "../../../domain/agents/Queue.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { ListParams } from "../../../domain/kernel/Query.ts"
import { FindQueue, QueueDetail } from "../../../domain/tasks/Queue/Detail.ts"
import { pagedRowsDescription, pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const engine = pathParameter("engine", Schema.String, "The engine, in lower case.", "celery")
const queueName = pathParameter("name", Schema.String, "The queue's name; a slash in it is sent as %2F.", "default")

/** The engines' queues (bodies: queues). */
export class QueuesApi extends projectGroup("queues", "Queues and workers")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/queues`
      .setUrlParams(ListParams)
      .addSuccess(Schema.Array(Queue))
      .annotate(Access, { caller: "viewer", scope: "queues:read" })
      .annotateContext(operation("List queues", `What the agents reported of them. ${pagedRowsDescription}`))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/queues/${engine}/${queueName}`
      .setUrlParams(FindQueue)
      .addSuccess(QueueDetail)
      .annotate(Access, { caller: "viewer", scope: "queues:read" })
      .annotateContext(operation(
        "Show a queue",
        "Its depth over time, when it will be empty, and how many workers would hold its target."
      ))
  )
  .add(
    HttpApiEndpoint.put("setTarget")`/projects/${slug}/queues/${engine}/${queueName}/target`
      .setPayload(QueueTarget)
      .addSuccess(QueueTarget)
      .annotate(Access, { caller: "operator", scope: "commands:write", mutates: true })
      .annotateContext(operation(
        "Set a queue's target",
        "Within how many seconds its tasks should start; null removes it. A queue over its target needs attention."
      ))
  )
{}
