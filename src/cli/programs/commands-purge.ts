import { Effect, Option } from "effect"
import type { Agent } from "../../domain/Agent.ts"
import { PurgeQueueRequest } from "../../domain/Command/Requests.ts"
import { allRows } from "../AllRows.ts"
import { accepted } from "../Accepted.ts"
import { confirmed } from "../Confirm.ts"
import { ofQueue } from "../Evidence.ts"
import { Refused } from "../Explain.ts"
import { issue, type IssueOptions, keyOf } from "../Issue.ts"
import type { Remote } from "../Remote.ts"
import { agentFor, agentsOf } from "../Target.ts"
import { visible } from "../Visible.ts"

interface Options extends IssueOptions {
  readonly queue: string
  readonly engine: Option.Option<string>
  readonly observedDepth: Option.Option<number>
  readonly force: boolean
  readonly yes: boolean
}

/** The depth of the queue as its agent last told it; null where it could not, or nobody knows the queue. */
const reportedDepth = ({ api, slug }: Remote, { engine_adapters }: Agent, { engine, queue }: Options) =>
  Effect.gen(function*() {
    const engines = Option.match(engine, { onNone: () => engine_adapters, onSome: (engine) => [engine] })
    const [queues] = yield* allRows((urlParams) => api.queues.list({ path: { slug }, urlParams, withResponse: true }))
    const found = queues.filter(({ engine, name }) => name === queue && engines.includes(engine))
    if (found.length > 1) {
      return yield* new Refused({ usage: true, message: `${found.map(({ engine }) => engine).join(" and ")} both have a queue ${queue}: name one with --engine` })
    }
    return found[0]?.depth ?? null
  })

const unknownDepth = (queue: string) =>
  new Refused({
    usage: true,
    message: `how many messages wait in ${queue} is not known: give the number with --observed-depth, or purge however many there are with --force`
  })

export const run = (options: Options) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const { engine, force, observedDepth, queue, yes } = options
      const agent = yield* agentFor(yield* agentsOf(remote), options.agent, engine, ofQueue(remote, queue))
      const { id, name } = agent
      const depth = Option.isSome(observedDepth) ? observedDepth.value : yield* reportedDepth(remote, agent, options)
      if (depth === null && !force) return yield* unknownDepth(queue)
      const messages = depth === null ? "every message" : force ? `every message (last told: ${depth})` : `${depth} messages`
      yield* confirmed(yes, `Delete ${messages} of the queue ${visible(queue)} by the agent ${visible(name)}? They are gone for good.`)
      const payload = yield* accepted(PurgeQueueRequest, {
        agent_id: id,
        engine: Option.getOrNull(engine),
        queue,
        observed_depth: depth,
        force,
        ...keyOf(options)
      })
      return yield* remote.api.commands.purgeQueue({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
