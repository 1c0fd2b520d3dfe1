import { Effect } from "effect"
import { isEndState, type NoteFacts } from "../../domain/commands/Command/Note.ts"
import { canonicalize } from "../../domain/kernel/CanonicalJson.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import type { RoutableProcess } from "../agents/AgentSessions.ts"
import { AgentsRepo, maxProcesses } from "../agents/Repo.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import type { InitialState, Intent } from "./Model.ts"
import { refusalReason, unsupportedReason } from "./Refusal.ts"
import { servesEngine } from "./Routing.ts"

/** Engines that never run an ended task again under its id: their retry is a new task. */
const finalEndEngines: ReadonlySet<string> = new Set(["arq", "celery", "dramatiq", "huey", "taskiq"])

export const pendingState: InitialState = { status: "pending", result: null, error: null }
const makeFailedState = (error: string): InitialState => ({ status: "failed", result: null, error })

/**
 * Decides how a command begins. A command that its agent cannot do, or that has nothing to do, ends at once instead of
 * waiting for the agent or its timeout (docs/commands.md).
 */
export const makeCommandAdmission = Effect.gen(function*() {
  const agents = yield* AgentsRepo
  const agentWorkers = yield* AgentProcessesRepo

  /** Why the agent does not serve the engine; null where one of its processes serves it, or served it. */
  const unservedReason = Effect.fnUntraced(
    function*({ agent_id, engine }: Intent, name: string, known: ReadonlyArray<RoutableProcess>) {
      if (engine === null || known.some((process) => servesEngine(process, engine))) return null
      // over long-poll an agent names only some of its engines at first
      if (known.length === 0 || known.some(({ capabilities }) => Object.keys(capabilities).length === 0)) return null
      const servedEngines = new Set([
        ...known.flatMap(({ engines }) => engines),
        ...(yield* agentWorkers.listOfflineEngines(agent_id, maxProcesses))
      ])
      return servedEngines.has(engine)
        ? null
        : `The agent "${name}" does not serve ${engine}. It serves ${
          [...servedEngines].sort().join(", ")
        }. Name another agent.`
    }
  )

  const findAgent = (projectId: ProjectId, { agent_id, engine, target_id, target_type }: Intent) =>
    agents.findCommanded(
      projectId,
      agent_id,
      target_type === "task" && engine !== null && target_id !== null ? { engine, task_id: target_id } : null
    )

  /** How the command begins, and the facts of its note. */
  const admit = Effect.fnUntraced(function*(intent: Intent) {
    const project = yield* CurrentProject
    const { engine, target_id } = intent
    const agent = intent.agent ?? (yield* findAgent(project.id, intent))
    const task_state = intent.action === "cancel_task" ? agent?.task?.state ?? null : null
    const connected = agent?.processes ?? []
    const declaredProcess = agent === null ? [] : [agent.declared]
    const processes = connected.length > 0 ? connected : declaredProcess
    const facts: NoteFacts = {
      engine,
      worker: null,
      agent_name: agent?.name ?? null,
      agent_state: agent?.state ?? null,
      agent_seen_at: agent?.last_seen_at ?? null,
      is_served: engine === null || connected.some((process) => canServe(process, engine)) ? 1 : 0,
      task_name: agent?.task?.name ?? null,
      task_state
    }
    if (task_state !== null && isEndState(task_state) && finalEndEngines.has(engine ?? "")) {
      const result = canonicalize({ task_id: target_id, noop: true, reason: `the task has ended: ${task_state}` })
      return { facts, initialState: { status: "completed", result, error: null } satisfies InitialState }
    }
    if (isEmptyResize(intent)) {
      const result = canonicalize({ noop: true, reason: "delta is 0" })
      return { facts, initialState: { status: "completed", result, error: null } satisfies InitialState }
    }
    const refusal = refusalReason(intent) ?? unsupportedReason(intent, processes) ??
      (yield* unservedReason(intent, facts.agent_name ?? "", [...processes, ...declaredProcess]))
    return { facts, initialState: refusal === null ? pendingState : makeFailedState(refusal) }
  })

  return { admit } as const
})

/** Nothing to do: no agent is asked, and the outcome is known whatever its engine offers. */
const isEmptyResize = ({ action, parameters }: Intent): boolean =>
  (action === "pool_grow" || action === "pool_shrink") && parameters.delta === 0

/** A process that names no engines may serve any. */
const canServe = (process: RoutableProcess, engine: string): boolean =>
  servesEngine(process, engine) || process.engines.length === 0
