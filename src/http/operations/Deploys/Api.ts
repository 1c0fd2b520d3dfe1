import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, DeployId } from "../../../domain/kernel/Id.ts"
import { Deploy, DeployCreate, ListDeploys } from "../../../domain/operations/Deploy.ts"
import { ListMarks, Marks } from "../../../domain/operations/Mark.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const deployId = pathParameter("deploy_id", caseInsensitiveId(DeployId), "The deploy's id.", exampleId)

/** When versions were deployed, and what else charts mark (docs/deploys.md). */
export class DeploysApi extends projectGroup("deploys", "Tasks")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/deploys`
      .setUrlParams(ListDeploys)
      .addSuccess(Schema.Array(Deploy))
      .annotate(Access, { caller: "viewer", scope: "deploys:read" })
      .annotateContext(operation("List deploys", "The newest first."))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/deploys`
      .setPayload(DeployCreate)
      .addSuccess(Deploy, { status: 201 })
      .annotate(Access, { caller: "operator", scope: "deploys:write", mutates: true, creates: true })
      .annotateContext(operation(
        "Mark a deploy",
        "Charts show it, and failures say how long after it they began. A mark of the same version within 10 minutes " +
          "is the same deploy: the response is the first one."
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/deploys/${deployId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "operator", scope: "deploys:write", mutates: true })
      .annotateContext(operation("Delete the mark of a deploy", "Charts show it no more."))
  )
  .add(
    HttpApiEndpoint.get("marks")`/projects/${slug}/marks`
      .setUrlParams(ListMarks)
      .addSuccess(Marks)
      .annotate(Access, { caller: "viewer", scope: "deploys:read" })
      .annotateContext(operation(
        "List marks",
        "Deploys, commands of users, what rules did, missed runs and maintenance windows, of at most the newest 1000 of " +
          "each kind. Those of one action, rule or schedule that are close together are one mark. An API key sees the kinds " +
          "that it may read: commands:read, automation:read, schedules:read, notifications:read."
      ))
  )
{}
