import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Agent, AgentHealthSnapshot, CreateAgent, CreatedAgent, UpdateAgent } from "../../../domain/agents/Agent.ts"
import { AgentsUptime } from "../../../domain/agents/Uptime.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { AgentId, caseInsensitiveId } from "../../../domain/kernel/Id.ts"
import { NoParams } from "../../../domain/kernel/Query.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const agentId = pathParameter("agent_id", caseInsensitiveId(AgentId), "The agent's id.", exampleId)

/** A project's agents (interface, Agents; bodies: agents). */
export class AgentsApi extends projectGroup("agents", "Agents")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/agents`
      .setUrlParams(NoParams)
      .addSuccess(Schema.Array(Agent))
      .annotate(Access, { caller: "viewer", scope: "agents:read", failureCodes: ["validation_failed"] })
      .annotateContext(operation(
        "List a project's agents",
        "With what each reported about itself when it last connected."
      ))
  )
  .add(
    HttpApiEndpoint.get("uptime")`/projects/${slug}/agents/uptime`
      .addSuccess(AgentsUptime)
      .annotate(Access, { caller: "viewer", scope: "agents:read" })
      .annotateContext(operation(
        "Show when the agents were connected",
        "The last 24 hours of each agent, in half hours, with its outages. What no brain could see is unknown, not away."
      ))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/agents`
      .setPayload(CreateAgent)
      .addSuccess(CreatedAgent, { status: 201 })
      .annotate(Access, {
        caller: "admin",
        scope: "agents:write",
        mutates: true,
        stepUp: true,
        creates: "secret",
        failureCodes: ["agent_name_taken"]
      })
      .annotateContext(operation(
        "Create an agent",
        "`token` and `hmac_secret` are in this response only: give both to the worker's environment."
      ))
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/agents/${agentId}`
      .setPayload(UpdateAgent)
      .addSuccess(Agent)
      .annotate(Access, { caller: "admin", scope: "agents:write", mutates: true, stepUp: true })
      .annotateContext(operation(
        "Change an agent",
        "Its namespace becomes part of the ids of its tasks; tasks that the brain knows keep theirs."
      ))
  )
  .add(
    HttpApiEndpoint.get("health")`/projects/${slug}/agents/${agentId}/health`
      .addSuccess(Schema.Array(AgentHealthSnapshot))
      .annotate(Access, { caller: "viewer", scope: "agents:read" })
      .annotateContext(operation("List an agent's reports of lost telemetry", "Newest first."))
  )
  .add(
    HttpApiEndpoint.del("delete")`/projects/${slug}/agents/${agentId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "admin", scope: "agents:write", mutates: true, stepUp: true, destructive: true })
      .annotateContext(operation(
        "Delete an agent",
        "Its connections are closed and its pending commands cancelled. Tasks stay."
      ))
  )
{}
