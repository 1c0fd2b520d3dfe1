import { Effect, type Option } from "effect"
import { CreateAgent } from "../../domain/Agent.ts"
import { accepted } from "../Accepted.ts"
import { print, remotely } from "../Remote.ts"
import { fields } from "../Table.ts"
import { visible } from "../Visible.ts"

export const run = ({ json, name, project }: {
  readonly name: string
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  remotely(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const payload = yield* accepted(CreateAgent, { name })
      const answer = yield* api.agents.create({ path: { slug }, payload, withResponse: true })
      yield* print(answer, json, ({ agent, hmac_secret, token }) =>
        [
          `made the agent ${visible(agent.name)} (${agent.id}) in ${slug}; these two are shown this once:`,
          fields([["token", token], ["hmac_secret", hmac_secret]])
        ].join("\n"))
    }))
