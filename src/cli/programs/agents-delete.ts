import { Console, Effect, type Option } from "effect"
import { confirmed } from "../Confirm.ts"
import { remotely } from "../Remote.ts"
import { agentNamed, agentsOf } from "../Target.ts"
import { visible } from "../Visible.ts"

export const run = ({ agent: given, project, yes }: {
  readonly agent: string
  readonly project: Option.Option<string>
  readonly yes: boolean
}) =>
  remotely(project, (remote) =>
    Effect.gen(function*() {
      const agent = yield* agentNamed(yield* agentsOf(remote), given)
      const shown = `the agent ${visible(agent.name)} (${agent.id})`
      yield* confirmed(yes, `Delete ${shown}? Its token ends, and what was asked of it is cancelled.`)
      yield* remote.api.agents.delete({ path: { slug: remote.slug, agent_id: agent.id } })
      yield* Console.log(`deleted ${shown}`)
    }))
