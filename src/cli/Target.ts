import { Effect, Option } from "effect"
import type { Agent } from "../domain/Agent.ts"
import { Refused } from "./Explain.ts"
import type { IssueOptions } from "./Issue.ts"
import type { Remote } from "./Remote.ts"

export const agentsOf = ({ api, slug }: Remote) => api.agents.list({ path: { slug } })

const names = (agents: ReadonlyArray<Agent>): string => agents.map(({ name }) => name).join(", ")

const usage = (message: string) => new Refused({ usage: true, message })

/** The agent of this name or id. */
export const agentNamed = (agents: ReadonlyArray<Agent>, given: string): Effect.Effect<Agent, Refused> => {
  const found = agents.filter(({ id, name }) => name === given || id === given.toLowerCase())
  const [only] = found
  if (only === undefined) return new Refused({ message: `no such agent: ${given}. svc agents list shows those of the project` })
  if (found.length > 1) return usage(`${found.length} agents are called ${given}: give the id of one (svc agents list shows them)`)
  return Effect.succeed(only)
}

/** The agent that is meant: the one named, else the project's only one, else the only one that serves the engine. */
export const agentFor = (
  agents: ReadonlyArray<Agent>,
  named: Option.Option<string>,
  engine: Option.Option<string>
): Effect.Effect<Agent, Refused> => {
  if (Option.isSome(named)) return agentNamed(agents, named.value)
  if (agents.length === 0) return new Refused({ message: "the project has no agent: make one with svc agents create" })
  const serving = Option.isNone(engine) ? agents : agents.filter(({ engine_adapters }) => engine_adapters.includes(engine.value))
  const candidates = agents.length === 1 ? agents : serving
  const [only] = candidates
  if (only === undefined) return new Refused({ message: `no agent of the project serves ${Option.getOrElse(engine, () => "it")}: name one with --agent` })
  return candidates.length === 1 ? Effect.succeed(only) : usage(`name the agent with --agent: ${names(candidates)}`)
}

const enginesOf = (agents: ReadonlyArray<Agent>): ReadonlyArray<string> => [...new Set(agents.flatMap(({ engine_adapters }) => engine_adapters))]

/** The task with this id, with the text of the answer. Engines number their tasks each in its own way: all of the agents' are asked. */
export const taskOf = (remote: Remote, agents: ReadonlyArray<Agent>, taskId: string, given: Option.Option<string>) =>
  Effect.gen(function*() {
    const { api, slug } = remote
    const engines = Option.match(given, { onNone: () => enginesOf(agents), onSome: (engine) => [engine] })
    if (engines.length === 0) return yield* usage("no agent has told its engine yet: name it with --engine")
    const found = yield* Effect.forEach(engines, (engine) =>
      api.tasks.get({ path: { slug, engine, task_id: taskId }, withResponse: true }).pipe(
        Effect.asSome,
        Effect.catchIf((error) => error._tag === "NotFound" && error.resource === "task", () => Effect.succeedNone)
      ), { concurrency: 4 })
    const tasks = found.flatMap(Option.toArray)
    const [only] = tasks
    if (only === undefined) return yield* new Refused({ message: `no such task: ${taskId} (engine ${engines.join(", ")}, project ${slug})` })
    if (tasks.length > 1) return yield* usage(`${tasks.map(([{ engine }]) => engine).join(" and ")} both have a task ${taskId}: name one with --engine`)
    return only
  })

interface EngineOptions extends Pick<IssueOptions, "agent"> {
  readonly engine: Option.Option<string>
}

export interface WorkerOptions extends EngineOptions {
  readonly worker: string
}

/** The members of a command's body that say who is to do it. Without `--engine` the brain finds the engine out. */
export const agentAndEngine = (remote: Remote, { agent, engine }: EngineOptions) =>
  Effect.gen(function*() {
    const { id } = yield* agentFor(yield* agentsOf(remote), agent, engine)
    return { agent_id: id, engine: Option.getOrNull(engine) }
  })

/** The members of a command's body that say who is to do it to which task. */
export const targetOf = (remote: Remote, { agent, engine, task }: EngineOptions & { readonly task: string }) =>
  Effect.gen(function*() {
    const agents = yield* agentsOf(remote)
    const asked = Option.isSome(agent) ? [yield* agentNamed(agents, agent.value)] : agents
    const found = Option.isSome(engine) ? engine.value : (yield* taskOf(remote, asked, task, engine))[0].engine
    const { id } = yield* agentFor(agents, agent, Option.some(found))
    return { agent_id: id, engine: found, task_id: task }
  })
