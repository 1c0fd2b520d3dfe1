import { Effect } from "effect"
import { canonicalize } from "../../domain/CanonicalJson.ts"
import { isEndState, type NoteFacts } from "../../domain/Command/Note.ts"
import type { TaskState } from "../../domain/TaskState.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { CurrentProject } from "../CurrentActor.ts"
import { Reader } from "../Database.ts"
import { type Candidate, servesEngine } from "./Routing.ts"
import type { Intent } from "./Intents.ts"
import { unsupportedReason, refusalReason } from "./Refusal.ts"

/** How a command begins: pending, or ended at once, where it is known beforehand how it would end. */
export interface InitialState {
  readonly status: "pending" | "completed" | "failed"
  /** JSON text. */
  readonly result: string | null
  readonly error: string | null
}

/** Processes of an agent that are looked at. */
const maxProcesses = 500

/** Engines that never run an ended task again under its id: a retry of theirs is a new task. */
const finalEndEngines: ReadonlySet<string> = new Set(["arq", "celery", "dramatiq", "huey", "taskiq"])

interface ProcessRow {
  readonly worker_id: string
  readonly role: string | null
  readonly engines: string
  readonly capabilities: string
}

/** An agent beside one of its connected processes; nulls where it has none. */
interface AgentRow extends Omit<ProcessRow, "worker_id"> {
  readonly name: string
  readonly state: string
  readonly last_seen_at: Timestamp | null
  readonly engine_adapters: string
  readonly said: string
  readonly worker_id: string | null
}

/** Both columns are JSON of a hello, which was checked then. */
const candidateOf = (row: ProcessRow): Candidate => ({
  workerId: row.worker_id,
  role: row.role,
  engines: JSON.parse(row.engines) as ReadonlyArray<string>,
  capabilities: JSON.parse(row.capabilities) as Candidate["capabilities"]
})

const pendingState: InitialState = { status: "pending", result: null, error: null }
const makeFailedState = (error: string): InitialState => ({ status: "failed", result: null, error })

/**
 * Looks at a command before it is issued: what its agent cannot do, or what is done already, does not wait for the
 * agent nor for its timeout (docs/commands.md).
 */
export class CommandAdmission extends Effect.Service<CommandAdmission>()("svc/CommandAdmission", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    /** The agent, and its connected processes. */
    const readAgent = (agentId: string) =>
      Effect.map(
        read<AgentRow>`SELECT a.name, a.state, a.last_seen_at, a.engine_adapters, a.capabilities AS said,
            w.worker_id, w.role, w.engines, w.capabilities
          FROM agents a LEFT JOIN agent_workers w ON w.agent_id = a.id AND w.state = 'online'
          WHERE a.id = ${agentId} LIMIT ${maxProcesses}`,
        (rows) => ({
          agent: rows[0],
          connected: rows.flatMap(({ worker_id, ...row }) => (worker_id === null ? [] : [candidateOf({ ...row, worker_id })]))
        })
      )

    /** The engines of the processes that were connected before, newest first. */
    const readOfflineEngines = (agentId: string) =>
      Effect.map(
        read<Pick<ProcessRow, "engines">>`SELECT engines FROM agent_workers
          WHERE agent_id = ${agentId} AND state <> 'online' ORDER BY id DESC LIMIT ${maxProcesses}`,
        (rows) => rows.flatMap(({ engines }) => JSON.parse(engines) as ReadonlyArray<string>) // as in candidateOf
      )

    const readTaskState = (projectId: string, { action, engine, target_id }: Intent) =>
      action !== "cancel_task" || engine === null || target_id === null
        ? Effect.succeed(null)
        : Effect.map(
          read<{ readonly state: TaskState }>`SELECT state FROM tasks
            WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${target_id}`,
          (rows) => rows[0]?.state ?? null
        )

    /** Why the agent does not serve the engine; null where a process of it does, or did. */
    const unservedReason = Effect.fnUntraced(function*({ agent_id, engine }: Intent, name: string, known: ReadonlyArray<Candidate>) {
      if (engine === null || known.some((process) => servesEngine(process, engine))) return null
      // over long-poll an agent names some of its engines at first
      if (known.length === 0 || known.some(({ capabilities }) => Object.keys(capabilities).length === 0)) return null
      const served = new Set([...known.flatMap(({ engines }) => engines), ...(yield* readOfflineEngines(agent_id))])
      return served.has(engine)
        ? null
        : `The agent "${name}" does not serve ${engine}. It serves ${[...served].sort().join(", ")}. Name another agent.`
    })

    /** How the command begins, and what its note is made of. */
    const admit = Effect.fnUntraced(function*(intent: Intent) {
      const project = yield* CurrentProject
      const { agent_id, engine, target_id } = intent
      const { agent, connected } = yield* readAgent(agent_id)
      const task_state = yield* readTaskState(project.id, intent)
      const declared = agent === undefined
        ? []
        : [candidateOf({ worker_id: agent_id, role: null, engines: agent.engine_adapters, capabilities: agent.said })]
      const known = connected.length > 0 ? connected : declared
      const facts: NoteFacts = {
        engine,
        agent_name: agent?.name ?? null,
        agent_state: agent?.state ?? null,
        agent_seen_at: agent?.last_seen_at ?? null,
        is_served: engine === null || connected.some((process) => canServe(process, engine)) ? 1 : 0,
        task_state
      }
      if (task_state !== null && isEndState(task_state) && finalEndEngines.has(engine ?? "")) {
        const result = canonicalize({ task_id: target_id, noop: true, reason: `the task has ended: ${task_state}` })
        return { facts, beginning: { status: "completed", result, error: null } satisfies InitialState }
      }
      const refusal = refusalReason(intent) ?? unsupportedReason(intent, known) ??
        (yield* unservedReason(intent, facts.agent_name ?? "", [...known, ...declared]))
      return { facts, beginning: refusal === null ? pendingState : makeFailedState(refusal) }
    })

    return { admit } as const
  })
}) {
  static readonly layer = this.Default
}

/** A process that says nothing of its engines may serve any. */
const canServe = (process: Candidate, engine: string): boolean => servesEngine(process, engine) || process.engines.length === 0
