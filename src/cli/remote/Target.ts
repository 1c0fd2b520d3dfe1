import { Effect, Option } from "effect"
import type { Agent } from "../../domain/agents/Agent.ts"
import { isNamed, requireFirst } from "../io/Find.ts"
import { CliError } from "../program/Explain.ts"
import type { ApiError, Remote } from "./Remote.ts"
import { reportersOfTask, reportersOfWorker } from "./Reporters.ts"

export const listAgents = ({ api, slug }: Remote) => api.agents.list({ path: { slug }, urlParams: {} })

const joinNames = (agents: ReadonlyArray<Agent>): string => agents.map(({ name }) => name).join(", ")

const usageError = (message: string) => new CliError({ usage: true, message })

/** The agent of this name or id. */
export const getAgent = (agents: ReadonlyArray<Agent>, given: string): Effect.Effect<Agent, CliError> =>
  requireFirst(agents.filter(isNamed(given)), "agent", given)

/**
 * The agent of a command: the named one; else, among the agents that have ever connected, the only one, the only one that
 * serves the engine, or the only one of these that reported the worker, queue or task.
 */
export const resolveAgent = (
  agents: ReadonlyArray<Agent>,
  named: Option.Option<string>,
  engine: Option.Option<string>,
  reporters: Effect.Effect<ReadonlyArray<string>, ApiError>
): Effect.Effect<Agent, CliError | ApiError> =>
  Effect.gen(function*() {
    if (Option.isSome(named)) return yield* getAgent(agents, named.value)
    if (agents.length === 0) {
      return yield* new CliError({ message: "the project has no agent: create one with svc agents create" })
    }
    const connected = agents.filter(({ last_connect_at }) => last_connect_at !== null)
    if (connected.length === 0) {
      return yield* new CliError({
        message: `no agent of the project has connected yet: start one of ${joinNames(agents)}`
      })
    }
    const serving = Option.isNone(engine)
      ? connected
      : connected.filter(({ engine_adapters }) => engine_adapters.includes(engine.value))
    const candidates = connected.length === 1 ? connected : serving
    const [only] = candidates
    if (only === undefined) {
      return yield* new CliError({
        message: `no agent of the project serves ${Option.getOrElse(engine, () => "it")}: name one with --agent`
      })
    }
    if (candidates.length === 1) return only
    const ids = new Set(yield* reporters)
    const reporting = candidates.filter(({ id }) => ids.has(id))
    const [reporter] = reporting
    if (reporter !== undefined && reporting.length === 1) return reporter
    return yield* usageError(
      `name the agent with --agent: ${joinNames(reporting.length === 0 ? candidates : reporting)}`
    )
  })

export const enginesOf = (
  agents: ReadonlyArray<Agent>
): ReadonlyArray<string> => [...new Set(agents.flatMap(({ engine_adapters }) => engine_adapters))]

/** The task with this id, with the text of the response. Ids are unique per engine only, so every engine of the agents is searched. */
export const getTask = (remote: Remote, agents: ReadonlyArray<Agent>, taskId: string, given: Option.Option<string>) =>
  Effect.gen(function*() {
    const { api, slug } = remote
    const engines = Option.match(given, { onNone: () => enginesOf(agents), onSome: (engine) => [engine] })
    if (engines.length === 0) return yield* usageError("no agent has reported its engine yet: name it with --engine")
    const found = yield* Effect.forEach(
      engines,
      (engine) =>
        api.tasks.get({ path: { slug, engine, task_id: taskId }, withResponse: true }).pipe(
          Effect.asSome,
          Effect.catchIf((error) => error._tag === "NotFound" && error.resource === "task", () => Effect.succeedNone)
        ),
      { concurrency: 4 }
    )
    const tasks = found.flatMap(Option.toArray)
    const [only] = tasks
    if (only === undefined) {
      return yield* new CliError({ message: `no such task: ${taskId} (engine ${engines.join(", ")}, project ${slug})` })
    }
    if (tasks.length > 1) {
      return yield* usageError(
        `${tasks.map(([{ engine }]) => engine).join(" and ")} both have a task ${taskId}: name one with --engine`
      )
    }
    return only
  })

export interface EngineOptions {
  readonly agent: Option.Option<string>
  readonly engine: Option.Option<string>
}

export interface WorkerOptions extends EngineOptions {
  readonly worker: string
}

/** The agent and engine of a command's body. Without `--engine` the brain determines the engine. */
export const resolveAgentAndEngine = (
  remote: Remote,
  { agent, engine }: EngineOptions,
  reporters: Effect.Effect<ReadonlyArray<string>, ApiError>
) =>
  Effect.gen(function*() {
    const { id } = yield* resolveAgent(yield* listAgents(remote), agent, engine, reporters)
    return { agent_id: id, engine: Option.getOrNull(engine) }
  })

/** The agent, engine and worker of a command's body. */
export const resolveWorkerTarget = (remote: Remote, options: WorkerOptions) =>
  Effect.map(
    resolveAgentAndEngine(remote, options, reportersOfWorker(remote, options.worker)),
    (target) => ({ ...target, worker_name: options.worker })
  )

/** The agent, engine and task of a command's body. */
export const resolveTaskTarget = (remote: Remote, { agent, engine, task }: EngineOptions & { readonly task: string }) =>
  Effect.gen(function*() {
    const agents = yield* listAgents(remote)
    const candidateAgents = Option.isSome(agent) ? [yield* getAgent(agents, agent.value)] : agents
    const engineName = Option.isSome(engine)
      ? engine.value
      : (yield* getTask(remote, candidateAgents, task, engine))[0].engine
    const { id } = yield* resolveAgent(
      agents,
      agent,
      Option.some(engineName),
      reportersOfTask(remote, engineName, task)
    )
    return { agent_id: id, engine: engineName, task_id: task }
  })
