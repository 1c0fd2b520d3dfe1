import { Effect, Option } from "effect"
import type { Agent } from "../../domain/agents/Agent.ts"
import { confirm } from "../io/Confirm.ts"
import { escapeText } from "../io/TerminalText.ts"
import { CliError } from "../program/Explain.ts"
import type { OptionsOf } from "../program/Group.ts"
import { listAll } from "../remote/ListAll.ts"
import type { Remote } from "../remote/Remote.ts"
import { reportersOfQueue } from "../remote/Reporters.ts"
import { listAgents, resolveAgent } from "../remote/Target.ts"
import type { definitions } from "./commands.ts"

type PurgeOptions = OptionsOf<typeof definitions.purge>

/** The depth of the queue that its agent reported last; null where the agent cannot read it, or the queue is unknown. */
const reportedDepth = ({ api, slug }: Remote, { engine_adapters }: Agent, { engine, queue }: PurgeOptions) =>
  Effect.gen(function*() {
    const engines = Option.match(engine, { onNone: () => engine_adapters, onSome: (engine) => [engine] })
    const [queues] = yield* listAll((urlParams) => api.queues.list({ path: { slug }, urlParams, withResponse: true }))
    const found = queues.filter(({ engine, name }) => name === queue && engines.includes(engine))
    if (found.length > 1) {
      return yield* new CliError({
        usage: true,
        message: `${found.map(({ engine }) => engine).join(" and ")} both have a queue ${queue}: name one with --engine`
      })
    }
    return found[0]?.depth ?? null
  })

const unknownDepth = (queue: string) =>
  new CliError({
    usage: true,
    message:
      `how many messages wait in ${queue} is not known: give the number with --observed-depth, or purge any number with --force`
  })

/** The body of `purge`, once the person has confirmed it. */
export const resolvePurge = (remote: Remote, options: PurgeOptions) =>
  Effect.gen(function*() {
    const { engine, force, observedDepth, queue, yes } = options
    const agent = yield* resolveAgent(yield* listAgents(remote), options.agent, engine, reportersOfQueue(remote, queue))
    const depth = Option.isSome(observedDepth) ? observedDepth.value : yield* reportedDepth(remote, agent, options)
    if (depth === null && !force) return yield* unknownDepth(queue)
    const messages = depth === null
      ? "every message"
      : force
      ? `every message (last reported: ${depth})`
      : `${depth} messages`
    yield* confirm(
      yes,
      `Delete ${messages} of the queue ${escapeText(queue)} by the agent ${
        escapeText(agent.name)
      }? This cannot be undone.`
    )
    return { agent_id: agent.id, engine: Option.getOrNull(engine), queue, observed_depth: depth, force }
  })
