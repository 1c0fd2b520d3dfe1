import { Array as Arr, Effect, Option } from "effect"
import type { Agent } from "../../domain/agents/Agent.ts"
import type { Task as TaskSchema } from "../../domain/tasks/Task.ts"
import { ambiguous, findOne } from "../io/Find.ts"
import { hasIdPart, isIdPart, isWholeId } from "../io/ShortId.ts"
import { CliError } from "../program/Explain.ts"
import type { ApiError, Remote } from "./Remote.ts"
import { reportersOfTask, reportersOfWorker } from "./Reporters.ts"

type Task = typeof TaskSchema.Type

export const listAgents = ({ api, slug }: Remote) => api.agents.list({ path: { slug }, urlParams: {} })

const joinNames = (agents: ReadonlyArray<Agent>): string => agents.map(({ name }) => name).join(", ")

const usageError = (message: string) => new CliError({ usage: true, message })

/** The agent of this name or id, or part of an id. */
export const getAgent = (agents: ReadonlyArray<Agent>, given: string): Effect.Effect<Agent, CliError> =>
  findOne(agents, { what: "agent", given, nameOf: ({ name }) => name, listedBy: "svc agents list" })

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

/** The tasks with this id: ids are unique per engine only. */
const readTasks = ({ api, slug }: Remote, engines: ReadonlyArray<string>, taskId: string) =>
  Effect.map(
    Effect.forEach(
      engines,
      (engine) =>
        api.tasks.get({ path: { slug, engine, task_id: taskId }, withResponse: true }).pipe(
          Effect.asSome,
          Effect.catchIf((error) => error._tag === "NotFound" && error.resource === "task", () => Effect.succeedNone)
        ),
      { concurrency: 4 }
    ),
    (found) => found.flatMap(Option.toArray)
  )

/** Tasks of a page, and pages, among which a part of an id is sought: texts other than ids match too. */
const searchedTasks = 100
const maxPages = 20

/** The tasks of the engines whose id begins or ends with this, by the search of the list. */
const searchTasks = ({ api, slug }: Remote, engines: ReadonlyArray<string>, part: string) =>
  Effect.gen(function*() {
    const found: Array<{ readonly id: string; readonly name: string; readonly engine: string }> = []
    let cursor: string | null = null
    for (let pages = 0; pages < maxPages; pages++) {
      const urlParams = {
        search: part,
        limit: searchedTasks,
        include_total: false,
        ...(cursor !== null && { cursor })
      }
      const page: { readonly items: ReadonlyArray<Task>; readonly next_cursor: string | null } = yield* api.tasks.list({
        path: { slug },
        urlParams
      })
      for (const { engine, name, task_id } of page.items) {
        if (engines.includes(engine) && hasIdPart(task_id, part)) found.push({ id: task_id, name, engine })
      }
      cursor = page.next_cursor
      if (cursor === null) return found
    }
    return yield* usageError(`too many tasks have ${part} in their id, name, queue or worker: give more of the id`)
  })

/** The tasks of this id, or else the only one whose id begins or ends with it. */
export const findTasks = (remote: Remote, engines: ReadonlyArray<string>, given: string) =>
  Effect.gen(function*() {
    const whole = yield* readTasks(remote, engines, given)
    if (whole.length > 0 || isWholeId(given) || !isIdPart(given)) return whole
    const [only, ...others] = yield* searchTasks(remote, engines, given)
    if (only === undefined) return []
    return others.length === 0
      ? yield* readTasks(remote, [only.engine], only.id)
      : yield* ambiguous("task", given, [only, ...others])
  })

/** The task with this id or part of one, with the text of the response. Every engine of the agents is searched. */
export const getTask = (remote: Remote, agents: ReadonlyArray<Agent>, given: string, engine: Option.Option<string>) =>
  Effect.gen(function*() {
    const engines = Option.match(engine, { onNone: () => enginesOf(agents), onSome: (name) => [name] })
    if (engines.length === 0) return yield* usageError("no agent has reported its engine yet: name it with --engine")
    const tasks = yield* findTasks(remote, engines, given)
    const [only] = tasks
    if (only === undefined) {
      return yield* new CliError({
        message: `no such task: ${given} (engine ${engines.join(", ")}, project ${remote.slug})`
      })
    }
    if (tasks.length > 1) {
      return yield* usageError(
        `${tasks.map(([{ engine }]) => engine).join(" and ")} both have a task ${given}: name one with --engine`
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
    // a command may name a task that the brain does not know, with its engine
    const found = Option.isSome(engine)
      ? Arr.head(yield* findTasks(remote, [engine.value], task))
      : Option.some(yield* getTask(remote, candidateAgents, task, engine))
    const target = Option.match(found, {
      onNone: () => ({ engine: Option.getOrElse(engine, () => ""), task_id: task }),
      onSome: ([{ engine, task_id }]) => ({ engine, task_id })
    })
    const { id } = yield* resolveAgent(
      agents,
      agent,
      Option.some(target.engine),
      reportersOfTask(remote, target.engine, target.task_id)
    )
    return { agent_id: id, ...target }
  })
