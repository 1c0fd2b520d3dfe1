import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import { RANK } from "../../../domain/kernel/TaskState.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { WorkerEnds } from "../../../domain/tasks/TaskHistory.ts"
import type { PendingSideEvent, TaskGroup } from "./Grouping.ts"

export type Counters = Omit<WorkerEnds, "worker">

export interface Observation {
  /** Whether an event of a task named it. */
  isFromTask: boolean
  /** By the clock of its events, which may be ahead. */
  at: Timestamp | null
  state: "online" | "offline"
  agentId: AgentId
  depth: number | null
  ends: Counters
}

const zeroCounters: Counters = { processed: 0, succeeded: 0, failed: 0, retried: 0 }

/** The offline event of a worker without an engine, as it arrived. */
export interface PendingReport {
  readonly projectId: ProjectId
  /** JSON text. */
  readonly worker: string
  /** By the clock of the event, which may be ahead. */
  readonly at: Timestamp
}

/** Observations of one engine in one project. */
export interface EngineTotals {
  readonly projectId: ProjectId
  readonly engine: string
  readonly names: Set<string>
  /** By name as JSON text. */
  readonly queues: Map<string, Observation>
  readonly workers: Map<string, Observation>
}

export const observeGroup = (totals: EngineTotals, { events }: TaskGroup): void => {
  for (const event of events) {
    if (event.refusal !== null) continue
    // until its name is known, every task has its own placeholder
    if (event.name !== null && !event.name.startsWith("\"<unknown")) totals.names.add(event.name)
    if (event.queue !== null) observe(totals.queues, event.queue, event).isFromTask = true
    // `received` may name the process that enqueued the task
    if (event.worker !== null && RANK[event.kind] >= RANK["task.started"]) {
      observe(totals.workers, event.worker, event).isFromTask = true
    }
  }
}

interface SignOfLife {
  readonly occurredAt: Timestamp
  readonly agentId: AgentId
}

export const observationOf = (observations: Map<string, Observation>, json: string, agentId: AgentId): Observation => {
  let observation = observations.get(json)
  if (observation === undefined) {
    observation = { isFromTask: false, at: null, state: "online", agentId, depth: null, ends: zeroCounters }
    observations.set(json, observation)
  }
  return observation
}

/**
 * Records a sign of life. Of two at one moment the offline event counts. Times are compared as they arrived, since the
 * events of a clock that is ahead are still in order.
 */
const observe = (
  observations: Map<string, Observation>,
  json: string,
  event: SignOfLife,
  state: "online" | "offline" = "online"
): Observation => {
  const observation = observationOf(observations, json, event.agentId)
  const { occurredAt } = event
  if (
    observation.at === null || occurredAt > observation.at || (occurredAt === observation.at && state === "offline")
  ) {
    observation.at = occurredAt
    observation.state = state
  }
  return observation
}

/** Published agents send worker.offline with `worker_name` and without an engine (agents' protocol, section 5.5). */
export const observeSideEvent = (totals: EngineTotals, event: PendingSideEvent): PendingReport | null => {
  const fields = new Map<string, string>()
  event.data.forEach((json, field) => {
    fields.set(field, json)
  })
  const firstNameIn = (...names: ReadonlyArray<string>): string | undefined =>
    names.map((name) => fields.get(name)).find((json) => json !== undefined && isName(json))
  switch (event.kind) {
    case "worker.online":
    case "worker.heartbeat":
    case "worker.offline": {
      const worker = firstNameIn("worker", "worker_name", "hostname", "name")
      if (worker === undefined) return null
      const state = event.kind === "worker.offline" ? "offline" : "online"
      if (event.engine === "" && state === "offline") {
        return { projectId: totals.projectId, worker, at: event.occurredAt }
      }
      if (event.engine !== "") observe(totals.workers, worker, event, state)
      return null
    }
    case "queue.depth_report": {
      const queue = firstNameIn("queue", "queue_name", "name")
      if (queue === undefined || event.engine === "") return null
      const depth = fields.get("depth") ?? ""
      const observation = observe(totals.queues, queue, event)
      if (/^\d{1,15}$/.test(depth) && observation.at === event.occurredAt) observation.depth = Number(depth)
      return null
    }
    default:
      return null
  }
}

/** Whether the JSON text is a string that is not empty. */
const isName = (json: string): boolean => json.startsWith("\"") && json.length > 2

export const addCounters = (left: Counters, right: Counters): Counters => ({
  processed: left.processed + right.processed,
  succeeded: left.succeeded + right.succeeded,
  failed: left.failed + right.failed,
  retried: left.retried + right.retried
})
