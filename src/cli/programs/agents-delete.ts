import { Console, Effect, type Option } from "effect"
import { confirm } from "../Confirm.ts"
import { withRemote } from "../Remote.ts"
import { getAgent, listAgents } from "../Target.ts"
import { escapeText } from "../TerminalText.ts"

export const run = ({ agent: given, project, yes }: {
  readonly agent: string
  readonly project: Option.Option<string>
  readonly yes: boolean
}) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const agent = yield* getAgent(yield* listAgents(remote), given)
      const label = `the agent ${escapeText(agent.name)} (${agent.id})`
      yield* confirm(yes, `Delete ${label}? Its token ends, and what was asked of it is cancelled.`)
      yield* remote.api.agents.delete({ path: { slug: remote.slug, agent_id: agent.id } })
      yield* Console.log(`deleted ${label}`)
    }))
