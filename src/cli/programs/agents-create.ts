import { Effect, type Option } from "effect"
import { CreateAgent } from "../../domain/Agent.ts"
import { decodeInput } from "../DecodeInput.ts"
import { printAnswer, withRemote } from "../Remote.ts"
import { escapeText } from "../TerminalText.ts"

export const run = ({ json, name, project }: {
  readonly name: string
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  withRemote(project, ({ access, api, slug }) =>
    Effect.gen(function*() {
      const payload = yield* decodeInput(CreateAgent, { name })
      const answer = yield* api.agents.create({ path: { slug }, payload, withResponse: true })
      yield* printAnswer(answer, json, ({ agent, hmac_secret, token }) =>
        [
          `created the agent ${escapeText(agent.name)} (${agent.id}) in project ${slug}. Its token and signing secret are shown only now.`,
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
