import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { AgentProcess } from "../../../domain/agents/AgentProcess.ts"
import { Worker, WorkerDetail, WorkersParams } from "../../../domain/agents/Worker.ts"
import { ProjectLint } from "../../../domain/agents/WorkerLint.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { describeField, exampleId } from "../../../domain/kernel/Describe.ts"
import { strictQuery, wholeNumber } from "../../../domain/kernel/Query.ts"
import { text } from "../../../domain/kernel/Text.ts"
import { pagedRowsDescription, pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

// any text: an id that is not a UUID names no worker (404)
const workerId = pathParameter("worker_id", Schema.String.pipe(Schema.brand("WorkerId")), "The worker's id.", exampleId)

const AgentWorkersParams = Schema.Struct({
  state: describeField(Schema.optional(text(40)), "One state.", "online"),
  role: describeField(Schema.optional(text(40)), "One role.", "worker"),
  cursor: describeField(
    Schema.optional(Schema.String),
    "The header `X-SVC-Next-Cursor` of the page before.",
    "WyJ3b3JrZXJzIiwiMDE5OWMwZGUiXQ"
  ),
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "The most rows.", 200)
}).annotations(strictQuery)

/** The engines' workers, and the agents' own processes (interface, Agents; bodies: workers, agent-workers). */
export class WorkersApi extends projectGroup("workers", "Queues and workers")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/workers`
      .setUrlParams(WorkersParams)
      .addSuccess(Schema.Array(Worker))
      .annotate(Access, { caller: "viewer", scope: "workers:read" })
      .annotateContext(
        operation("List workers", `The engines' own workers, such as Celery nodes. ${pagedRowsDescription}`)
      )
  )
  .add(
    HttpApiEndpoint.get("lint")`/projects/${slug}/workers/lint`
      .addSuccess(ProjectLint)
      .annotate(Access, { caller: "viewer", scope: "workers:read" })
      .annotateContext(operation(
        "Check the settings of the workers",
        "What will cause trouble in the settings that the online workers report. Only Celery's agent reports them."
      ))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/workers/${workerId}`
      .addSuccess(WorkerDetail)
      .annotate(Access, { caller: "viewer", scope: "workers:read" })
      .annotateContext(operation("Show a worker", "With what the engine reports about it."))
  )
  .add(
    HttpApiEndpoint.get("listAgentWorkers")`/projects/${slug}/agent-workers`
      .setUrlParams(AgentWorkersParams)
      .addSuccess(Schema.Array(AgentProcess))
      .annotate(Access, { caller: "viewer", scope: "workers:read" })
      .annotateContext(
        operation("List the agents' processes", `One for each process that connects. ${pagedRowsDescription}`)
      )
  )
{}
