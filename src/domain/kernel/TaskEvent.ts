/** Events as agents report them (agents' protocol, section 4), after the frame was verified and its parts checked. */
import type { TaskEventKind } from "./TaskState.ts"
import type { Timestamp } from "./Timestamp.ts"

/**
 * An event's data: each field's canonical JSON text. A `Map<string, string>` is one. Values keep the digits and the
 * int or float of the agent, since they are never parsed (agents' protocol, section 3.2).
 */
export interface EventData {
  readonly forEach: (visit: (json: string, field: string) => void) => void
}

/** The member of an event's data that lists its fields that the agent or the brain had to change to keep the event. */
export const ALTERED = "svc_altered"

/** Event kinds about a worker, a queue or a schedule. */
export type SideEventKind =
  | "worker.online"
  | "worker.offline"
  | "worker.heartbeat"
  | "queue.depth_report"
  | "schedule.run_started"
  | "schedule.run_completed"
  | "schedule.created"
  | "schedule.updated"
  | "schedule.deleted"
  | "schedule.snapshot"

/** Event kinds of what a task says while it runs. They change no state (`domain/tasks/TaskOutput.ts`). */
export type OutputEventKind = "task.log" | "task.progress"

export const isOutputEventKind = (kind: string): kind is OutputEventKind =>
  kind === "task.log" || kind === "task.progress"

export type EventKind = TaskEventKind | SideEventKind | OutputEventKind

/**
 * One event of a batch. Its agent and project are the session's. `id` is stable over re-sends and has at most 64
 * characters; `taskId` is empty where the event is not about a task.
 */
export interface AgentEvent {
  readonly id: string
  readonly kind: EventKind
  readonly engine: string
  readonly taskId: string
  readonly occurredAt: Timestamp
  readonly data: EventData
}
