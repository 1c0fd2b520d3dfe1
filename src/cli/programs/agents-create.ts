import { Effect, type Option } from "effect"
import { CreateAgent } from "../../domain/Agent.ts"
import { accepted } from "../Accepted.ts"
import { print, remotely } from "../Remote.ts"
import { visible } from "../Visible.ts"

export const run = ({ json, name, project }: {
  readonly name: string
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  remotely(project, ({ access, api, slug }) =>
    Effect.gen(function*() {
      const payload = yield* accepted(CreateAgent, { name })
      const answer = yield* api.agents.create({ path: { slug }, payload, withResponse: true })
      yield* print(answer, json, ({ agent, hmac_secret, token }) =>
        [
          `created the agent ${visible(agent.name)} (${agent.id}) in project ${slug}. Its token and signing secret are shown only now.`,
          "",
          "For a published Python agent (docs/agents.md):",
          `  export Z4J_BRAIN_URL=${access.url} Z4J_PROJECT_ID=${slug}`,
          `  export Z4J_TOKEN=${token}`,
          `  export Z4J_HMAC_SECRET=${hmac_secret}`,
          "",
          "For the agent on Node.js (docs/agent.md):",
          `  export SVC_AGENT_BRAIN_URL=${access.url}`,
          `  export SVC_AGENT_TOKEN=${token}`,
          `  export SVC_AGENT_HMAC_SECRET=${hmac_secret}`
        ].join("\n"))
    }))
