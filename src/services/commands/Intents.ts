import { Effect, Redacted } from "effect"
import { maxPauseDays } from "../../domain/agents/QueuePause.ts"
import { type CommandAction, frameOverheadBytes, maxFrameBytes } from "../../domain/commands/Command.ts"
import {
  type BulkRetry,
  type CancelTask,
  type Consumer,
  maxOverrideBytes,
  type PauseQueue,
  type PoolResize,
  type PurgeQueue,
  type RateLimit,
  type RequeueDeadLetter,
  type RestartWorker,
  type ResumeQueue,
  type RetryTask
} from "../../domain/commands/Command/Requests.ts"
import { parseSelection } from "../../domain/commands/Command/Selection.ts"
import { makePurgeToken } from "../../domain/commands/PurgeToken.ts"
import { canonicalize, CanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import { Gone, type Issue, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { AgentId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { lossIssues } from "../../domain/tasks/LossyCopy.ts"
import { isKnownName } from "../../domain/tasks/UnknownName.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import { Agents } from "../agents/Agents.ts"
import { QueuesRepo } from "../agents/Queues/Repo.ts"
import { AgentsRepo, type CommandedAgent } from "../agents/Repo.ts"
import { WorkersRepo } from "../agents/Workers/Repo.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { TasksRepo } from "../tasks/Repo.ts"
import type { Intent } from "./Model.ts"
import { enginesRestartingByExit, unknownProcessReason } from "./Restart.ts"

/** Ids per statement. */
const slice = 500

const allTasksError = new Gone({
  code: "use_bulk_retry_requests",
  detail: "Name the tasks in filter.task_ids. " +
    "To retry all that match a filter, use POST /projects/{slug}/bulk-retry-requests."
})

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const singleOf = (values: ReadonlyArray<string>): string | undefined => (values.length === 1 ? values[0] : undefined)

/** Turns requests into intents, with the details that the brain knows filled in. */
// one object of short methods, a request each, which share the lookups of agents, engines and names
export const makeCommandIntents = Effect.gen(function*() {
  const agents = yield* Agents
  const agentsRepo = yield* AgentsRepo
  const agentWorkers = yield* AgentProcessesRepo
  const queues = yield* QueuesRepo
  const tasks = yield* TasksRepo
  const workers = yield* WorkersRepo
  const { bulkCommandTimeout, commandTimeout } = yield* Settings

  /** The agent, and the task that the command names if it names one; fails when the project has no such agent. */
  const getAgent = Effect.fnUntraced(function*(agentId: AgentId, task: TaskKey | null) {
    const project = yield* CurrentProject
    const agent = yield* agentsRepo.findCommanded(project.id, agentId, task)
    return agent ?? (yield* new NotFound({ resource: "agent" }))
  })

  /** The engine of the body, else the agent's only engine, else the agent's only engine among the recorded ones. */
  const resolveEngine = <E, R>(
    agentEngines: ReadonlyArray<string>,
    requestedEngine: string | null,
    recorded: Effect.Effect<ReadonlyArray<string>, E, R>
  ) =>
    Effect.gen(function*() {
      const certain = requestedEngine ?? singleOf(agentEngines)
      if (certain !== undefined) return certain
      const known = new Set(
        (yield* recorded).filter((engine) => agentEngines.length === 0 || agentEngines.includes(engine))
      )
      const found = singleOf([...known])
      if (found !== undefined) return found
      return yield* ValidationFailed.at(
        "engine",
        agentEngines.length === 0
          ? "name the engine: the agent has never connected"
          : `name one of the agent's engines: ${agentEngines.join(", ")}`
      )
    })

  const taskNameOf = ({ task }: CommandedAgent) => task !== null && isKnownName(task.name) ? task.name : undefined

  const makeTaskIntent = (
    request: CancelTask,
    agent: CommandedAgent,
    action: CommandAction,
    parameters: Intent["parameters"]
  ): Intent => ({
    agent,
    agent_id: request.agent_id,
    action,
    engine: request.engine,
    target_type: "task",
    target_id: request.task_id,
    parameters: { task_id: request.task_id, ...parameters },
    timeout_seconds: commandTimeout
  })

  const retryTask = Effect.fnUntraced(function*(request: RetryTask) {
    const { override_args, override_kwargs } = request
    const agent = yield* getAgent(request.agent_id, request)
    const sealed = override_args === null || override_kwargs === null ? {} : { override_args, override_kwargs }
    const tooLong = Object.entries(sealed).filter(([, { text }]) => Buffer.byteLength(text) > maxOverrideBytes)
    const message = `must be at most ${maxOverrideBytes} bytes as JSON`
    const issues = [
      ...tooLong.map(([path]): Issue => ({ path, message })),
      ...lossIssues(Object.fromEntries(Object.entries(sealed).map(([path, { text }]) => [path, text])))
    ]
    if (issues.length > 0) return yield* new ValidationFailed({ issues })
    const intent = makeTaskIntent(request, agent, "retry_task", {
      task_name: taskNameOf(agent),
      eta_seconds: request.eta_seconds ?? undefined
    })
    return { ...intent, sealed }
  })

  const cancelTask = (request: CancelTask) =>
    Effect.map(
      getAgent(request.agent_id, request),
      (agent) => makeTaskIntent(request, agent, "cancel_task", {})
    )

  const requeueDeadLetter = (request: RequeueDeadLetter) =>
    Effect.map(getAgent(request.agent_id, request), (agent) => {
      const task_name = taskNameOf(agent)
      return makeTaskIntent(request, agent, "requeue_dead_letter", { task_name, filter: { engine: request.engine } })
    })

  /** The names of the tasks, where known; fails when an id is not a task of the project and engine. */
  const getTaskNames = Effect.fnUntraced(function*(engine: string, taskIds: ReadonlyArray<string>) {
    const project = yield* CurrentProject
    const names = new Map<string, string>()
    for (let from = 0; from < taskIds.length; from += slice) {
      const rows = yield* tasks.listNames(project.id, engine, taskIds.slice(from, from + slice))
      for (const { name, task_id } of rows) names.set(task_id, name)
      yield* yieldToEventLoop // other requests run between two slices
    }
    const unknownIds = taskIds.flatMap((id): ReadonlyArray<Issue> =>
      names.has(id) ? [] : [{ path: "filter.task_ids", message: `"${id}" is no ${engine} task of this project` }]
    )
    return unknownIds.length === 0 ? names : yield* new ValidationFailed({ issues: unknownIds.slice(0, 100) })
  })

  const bulkRetry = Effect.fnUntraced(function*(request: BulkRetry) {
    const selection = parseSelection(request.filter)
    if (selection === null) return yield* allTasksError
    if (!("task_ids" in selection)) return yield* new ValidationFailed({ issues: selection })
    const agent = yield* getAgent(request.agent_id, null)
    const engine = yield* resolveEngine(agent.engines, selection.engine, Effect.succeed([]))
    const names = yield* getTaskNames(engine, selection.task_ids)
    const task_ids = selection.task_ids.slice(0, request.max)
    const namesById = Object.fromEntries(task_ids.flatMap((id) => {
      const name = names.get(id) ?? ""
      return isKnownName(name) ? [[id, name]] : []
    }))
    // Names are optional, since the agent's result backend has them too: left out, the command still fits its frame.
    const fit = jsonBytes(task_ids) + jsonBytes(namesById) + 2 * frameOverheadBytes <= maxFrameBytes
    return {
      agent,
      agent_id: request.agent_id,
      action: "bulk_retry",
      engine,
      target_type: "task",
      target_id: null,
      parameters: { filter: { engine, task_ids, task_names: fit ? namesById : undefined }, max: request.max },
      timeout_seconds: bulkCommandTimeout,
      metadata: { tasks: task_ids.length }
    } satisfies Intent
  })

  const purgeQueue = Effect.fnUntraced(function*(request: PurgeQueue) {
    const { agent_id, confirm_token, force, observed_depth, queue } = request
    const project = yield* CurrentProject
    const agent = yield* getAgent(agent_id, null)
    const engine = yield* resolveEngine(agent.engines, request.engine, queues.listEngines(project.id, queue))
    const token = confirm_token !== null
      ? confirm_token
      : observed_depth === null
      ? null
      : makePurgeToken(Redacted.value(yield* agents.getHmacKey(project.id, agent_id)), queue, observed_depth)
    return {
      agent,
      agent_id,
      action: "purge_queue",
      engine,
      target_type: "queue",
      target_id: queue,
      parameters: { queue, force: force ? true : undefined },
      sealed: token === null ? {} : { confirm_token: new CanonicalText(canonicalize(token)) },
      timeout_seconds: commandTimeout,
      metadata: { force, observed_depth }
    } satisfies Intent
  })

  /** A queue whose tasks the agent's workers take no longer, or again. */
  const makeQueueIntent = Effect.fnUntraced(function*(request: ResumeQueue, action: "pause_queue" | "resume_queue") {
    const { agent_id, queue } = request
    const project = yield* CurrentProject
    const agent = yield* getAgent(agent_id, null)
    const engine = yield* resolveEngine(agent.engines, request.engine, queues.listEngines(project.id, queue))
    return {
      agent,
      agent_id,
      action,
      engine,
      target_type: "queue",
      target_id: queue,
      parameters: { queue },
      timeout_seconds: commandTimeout
    } satisfies Intent
  })

  const pauseQueue = Effect.fnUntraced(function*(request: PauseQueue) {
    const { reason, resume_at } = request
    const now = yield* Timestamp.now
    if (resume_at !== null && resume_at <= now) return yield* ValidationFailed.at("resume_at", "must be in the future")
    if (resume_at !== null && resume_at > Timestamp.addSeconds(now, maxPauseDays * Timestamp.secondsPerDay)) {
      return yield* ValidationFailed.at("resume_at", `must be at most ${maxPauseDays} days from now`)
    }
    return { ...(yield* makeQueueIntent(request, "pause_queue")), metadata: { reason, resume_at } } satisfies Intent
  })

  const resumeQueue = (request: ResumeQueue) => makeQueueIntent(request, "resume_queue")

  /** For a worker by name; null means all workers, and then the target names none either. */
  const makeWorkerIntent = Effect.fnUntraced(function*<E, R>(
    request: { readonly agent_id: AgentId; readonly engine: string | null; readonly worker_name: string | null },
    action: CommandAction,
    parameters: Intent["parameters"],
    recorded: Effect.Effect<ReadonlyArray<string>, E, R>
  ) {
    const agent = yield* getAgent(request.agent_id, null)
    const engine = yield* resolveEngine(agent.engines, request.engine, recorded)
    const { id: projectId } = yield* CurrentProject
    return {
      agent,
      agent_id: request.agent_id,
      action,
      engine,
      worker_before: request.worker_name === null
        ? null
        : yield* workers.findPool(projectId, engine, request.worker_name),
      target_type: "worker",
      target_id: request.worker_name,
      parameters: { worker_name: request.worker_name ?? undefined, ...parameters },
      timeout_seconds: commandTimeout
    } satisfies Intent
  })
  const listWorkerEngines = (name: string) => Effect.flatMap(CurrentProject, ({ id }) => workers.listEngines(id, name))
  const listTaskEngines = (name: string) => Effect.flatMap(CurrentProject, ({ id }) => tasks.listEngines(id, name))

  const restartWorker = Effect.fnUntraced(function*(request: RestartWorker) {
    const intent = yield* makeWorkerIntent(request, "restart_worker", {}, listWorkerEngines(request.worker_name))
    if (!enginesRestartingByExit.has(intent.engine)) return intent
    const online = (yield* agentWorkers.listOnline(intent.agent_id))
      .filter(({ engines }) => engines.length === 0 || engines.includes(intent.engine))
    const reason = unknownProcessReason(intent, online.map(({ workerId }) => workerId))
    return reason === null ? intent : yield* ValidationFailed.at("worker_name", reason)
  })

  /** Agents have no resize action, only pool_grow and pool_shrink by a number. */
  const poolResize = (request: PoolResize) =>
    makeWorkerIntent(
      request,
      request.delta > 0 ? "pool_grow" : "pool_shrink",
      { delta: Math.abs(request.delta) },
      listWorkerEngines(request.worker_name)
    )

  const makeConsumerIntent = (action: "add_consumer" | "cancel_consumer") => (request: Consumer) =>
    makeWorkerIntent(request, action, { queue: request.queue }, listWorkerEngines(request.worker_name))

  const rateLimit = (request: RateLimit) =>
    makeWorkerIntent(
      { ...request, worker_name: request.worker_name === "" ? null : request.worker_name },
      "rate_limit",
      { task_name: request.task_name, rate: request.rate },
      listTaskEngines(request.task_name)
    )

  return {
    retryTask,
    cancelTask,
    requeueDeadLetter,
    bulkRetry,
    purgeQueue,
    pauseQueue,
    resumeQueue,
    restartWorker,
    poolResize,
    addConsumer: makeConsumerIntent("add_consumer"),
    cancelConsumer: makeConsumerIntent("cancel_consumer"),
    rateLimit
  } as const
})
