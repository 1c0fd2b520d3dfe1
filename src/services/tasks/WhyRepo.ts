import { Effect, Option, Schema } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import type { TaskState } from "../../domain/kernel/TaskState.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { ReconcileResult } from "../../domain/tasks/Task/Outcome.ts"
import type { ControlFact, QuestionFact, WhyFacts } from "../../domain/tasks/Task/Why/Facts.ts"
import { Reader } from "../kernel/sql/Database.ts"

/** Bounds of what one request reads. */
const maxWorkers = 500
const maxAgents = 200
const maxControls = 200
const maxTreeTasks = 500
const maxOpenCommands = 10
/** Older tasks of each waiting state that are read. */
const maxOlder = 1000

const decodeResult = Schema.decodeUnknownOption(Schema.parseJson(ReconcileResult))

const endStates: ReadonlySet<TaskState> = new Set(["success", "failure", "revoked", "rejected"])

export interface WhyTask extends Omit<WhyFacts["task"], "exception"> {
  readonly id: string
  readonly exception: string | null
  readonly root_task_id: string | null
}

interface WorkerRow {
  readonly name: string
  readonly state: string
  readonly last_heartbeat: Timestamp | null
  readonly queues: string
  readonly concurrency: number | null
  readonly active_tasks: number
}

interface AgentRow {
  readonly name: string
  readonly state: string
  readonly last_seen_at: Timestamp | null
  readonly engine_adapters: string
  readonly setup_advice: string
}

interface ControlRow {
  readonly id: string
  readonly action: string
  readonly target_id: string | null
  readonly payload: string
  readonly completed_at: Timestamp
}

/** The parameters of the commands that steer workers, as `commands/Intents.ts` writes them. */
interface ControlParameters {
  readonly queue?: string
  readonly task_name?: string
  readonly rate?: string
}

const decodeControl = ({ action, completed_at, id, payload, target_id }: ControlRow): ControlFact => {
  const { queue = null, rate = null, task_name = null }: Partial<Record<keyof ControlParameters, string | null>> = JSON
    .parse(payload) // the brain wrote it
  return { id, action, worker_name: target_id, queue, task_name, rate, completed_at }
}

/** The reads of `TaskWhy`, each bounded and from an index. */
// One statement a method, with how its rows become a fact.
export const makeTaskWhyRepo = Effect.gen(function*() {
  const read = yield* Reader

  const countOlder = (projectId: ProjectId, { engine, id, queue }: WhyTask, state: "pending" | "received") =>
    read<{ readonly engine: string; readonly queue: string | null }>`
      SELECT engine, queue FROM tasks WHERE project_id = ${projectId} AND state = ${state} AND id < ${id}
      ORDER BY id DESC LIMIT ${maxOlder}`.pipe(
      Effect.map((rows) => ({
        tasks: rows.filter((row) => row.engine === engine && row.queue === queue).length,
        isAtLeast: rows.length === maxOlder
      }))
    )

  return {
    findTask: (projectId: ProjectId, { engine, task_id }: TaskKey) =>
      Effect.map(
        read<WhyTask>`SELECT id, engine, task_id, name, queue, state, eta, first_event_at, started_at, finished_at,
            worker_name, exception, root_task_id
          FROM tasks WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}`,
        ([row]) => row
      ),

    /** The engine's workers, online ones and those reported most recently first. */
    listWorkers: (projectId: ProjectId, engine: string) =>
      Effect.map(
        read<WorkerRow>`SELECT name, state, last_heartbeat, queues, concurrency, active_tasks FROM workers
          WHERE project_id = ${projectId} AND engine = ${engine}
          ORDER BY CASE state WHEN 'online' THEN 0 ELSE 1 END, last_heartbeat DESC LIMIT ${maxWorkers}`,
        (rows) =>
          rows.map(({ queues, state, ...row }) => ({
            ...row,
            isOnline: state === "online",
            queues: JSON.parse(queues) as ReadonlyArray<string> // Presence wrote it
          }))
      ),

    /** The agents that serve the engine, by their last hello. */
    readAgents: (projectId: ProjectId, engine: string) =>
      Effect.map(
        read<AgentRow>`SELECT name, state, last_seen_at, engine_adapters, setup_advice FROM agents
          WHERE project_id = ${projectId} AND engine_adapters LIKE ${`%"${engine}"%`}
          ORDER BY last_seen_at DESC LIMIT ${maxAgents}`,
        (rows) => {
          const serving = rows.filter((row) =>
            (JSON.parse(row.engine_adapters) as ReadonlyArray<string>).includes(engine) // the gateway wrote it
          )
          const listAdvised = (code: string) =>
            serving.filter((row) =>
              row.state === "online" &&
              (JSON.parse(row.setup_advice) as ReadonlyArray<{ readonly code: string }>) // Presence wrote it
                .some((advice) => advice.code === code)
            ).map(({ name }) => name)
          const seen = serving.flatMap(({ last_seen_at }) => last_seen_at ?? []).toSorted()
          return {
            total: serving.length,
            online: serving.filter(({ state }) => state === "online").length,
            last_seen_at: seen.at(-1) ?? null,
            eventsOff: listAdvised("events_off"),
            brokerAbsent: listAdvised("broker_absent")
          }
        }
      ),

    findQueue: (projectId: ProjectId, engine: string, queue: string) =>
      Effect.map(
        read<{
          readonly depth: number | string | null
          readonly paused: number | null
          readonly last_seen_at: Timestamp | null
        }>`
          SELECT depth, paused, last_seen_at FROM queues
          WHERE project_id = ${projectId} AND engine = ${engine} AND name = ${queue}`,
        ([row]) => row === undefined ? null : { ...row, depth: row.depth === null ? null : Number(row.depth) }
      ),

    /** Older tasks of the same queue that wait. */
    countAhead: (projectId: ProjectId, task: WhyTask) =>
      Effect.zipWith(
        countOlder(projectId, task, "pending"),
        countOlder(projectId, task, "received"),
        (pending, received) => ({
          tasks: pending.tasks + received.tasks,
          isAtLeast: pending.isAtLeast || received.isAtLeast
        })
      ),

    /** Children that have not ended, among the oldest tasks of the tree. */
    listOpenChildren: (projectId: ProjectId, { root_task_id, task_id }: WhyTask) =>
      Effect.map(
        read<
          {
            readonly engine: string
            readonly task_id: string
            readonly state: TaskState
            readonly parent_task_id: string | null
          }
        >`SELECT engine, task_id, state, parent_task_id FROM tasks
          WHERE project_id = ${projectId} AND root_task_id = ${root_task_id ?? task_id} ORDER BY id
          LIMIT ${maxTreeTasks}`,
        (rows) =>
          rows.filter(({ parent_task_id, state }) => parent_task_id === task_id && !endStates.has(state))
            .map(({ engine, state, task_id }) => ({ engine, task_id, state }))
      ),

    /** Completed commands that steer workers of the engine, newest first. */
    listControls: (projectId: ProjectId, engine: string) =>
      Effect.map(
        read<ControlRow>`SELECT id, action, target_id, payload, completed_at FROM commands
          WHERE project_id = ${projectId} AND engine = ${engine}
            AND action IN ('rate_limit', 'add_consumer', 'cancel_consumer') AND status = 'completed'
          ORDER BY id DESC LIMIT ${maxControls}`,
        (rows) => rows.map(decodeControl)
      ),

    /** Unfinished commands about the task. No ORDER BY: SQLite would read all commands of the project in its order. */
    listOpenCommands: (projectId: ProjectId, { engine, task_id }: TaskKey) =>
      read<{ readonly id: string; readonly action: string; readonly issued_at: Timestamp }>`
        SELECT id, action, issued_at FROM commands
        WHERE project_id = ${projectId} AND status IN ('pending', 'dispatched') AND engine = ${engine}
          AND target_type = 'task' AND target_id = ${task_id} AND action <> 'reconcile_task'
        LIMIT ${maxOpenCommands}`.pipe(Effect.map((rows) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)))),

    /** The last question about the task's outcome. */
    findQuestion: (projectId: ProjectId, { engine, task_id }: TaskKey) =>
      Effect.map(
        read<Omit<QuestionFact, "engine_state"> & { readonly result: string | null }>`
          SELECT id, issued_at AS asked_at, status, result, error FROM commands
          WHERE project_id = ${projectId} AND engine = ${engine} AND target_type = 'task' AND target_id = ${task_id}
            AND action = 'reconcile_task' ORDER BY id DESC LIMIT 1`,
        ([row]): QuestionFact | null => {
          if (row === undefined) return null
          const { result, ...question } = row
          return { ...question, engine_state: Option.getOrNull(decodeResult(result))?.engine_state ?? null }
        }
      ),

    /** The mark of the task's current attempt. */
    findOrphan: (projectId: ProjectId, { engine, started_at, task_id }: WhyTask) =>
      Effect.map(
        read<{ readonly orphaned_at: Timestamp; readonly detail: string }>`
          SELECT orphaned_at, detail FROM task_orphans WHERE project_id = ${projectId} AND engine = ${engine}
            AND task_id = ${task_id} AND started_at = ${started_at ?? ""}`,
        ([row]) => row ?? null
      )
  } as const
})
