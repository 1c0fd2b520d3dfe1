import type { AgentId, ProjectId } from "../kernel/Id.ts"
import type { Timestamp } from "../kernel/Timestamp.ts"
import type { Contribution } from "./Rollup/Contribution.ts"
import type { TaskFields, WorkerEnds } from "./TaskHistory.ts"

export interface ProjectTaskKey {
  readonly project_id: ProjectId
  readonly engine: string
  readonly task_id: string
}

/** The columns of a stored task that a fold of further events needs. */
export interface StoredTask {
  readonly id: string
  readonly revision: number
  readonly state: string
  readonly name: string
  readonly queue: string | null
  readonly worker_name: string | null
  readonly root_task_id: string | null
  readonly fingerprint: string | null
  /** The task that succeeded in its place (`services/tasks/Failures/Recoveries.ts`); null: none. */
  readonly recovered_by: string | null
  readonly received_at: string | null
  readonly first_event_at: string
  readonly finished_at: string | null
  readonly runtime_ms: number | null
  readonly history: string
}

/** A row of `tasks`; columns as in the table. */
export interface TaskRecord extends ProjectTaskKey, Omit<TaskFields, "tags"> {
  readonly id: string
  /** JSON text. */
  readonly tags: string
  /** Of the latest failed attempt, also after the task succeeded; null: no attempt failed. */
  readonly fingerprint: string | null
  /** As it was read: another writer changes it, as a revision of its own. */
  readonly recovered_by: string | null
  readonly history: string
  readonly revision: number
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** A failed attempt that was added to (1) or taken from (-1) a failure group. */
export interface FailureChange {
  readonly fingerprint: string
  readonly at: Timestamp
  /** Whether the attempt lost its worker, and has no failure of its own. */
  readonly isLost: boolean
  readonly change: 1 | -1
}

/** How often attempts of a task ended so. Like the row it depends on the set of the task's events alone. */
export interface TaskEnds {
  readonly succeeded: number
  readonly retried: number
  readonly failed: number
  /** Failures of a task that was retried before. Zero where an engine reports no retries. */
  readonly exhausted: number
  /** Attempts that lost their worker. */
  readonly lost: number
}

/** What events make of a task: its new row, and what they add to counts of it. */
export interface FoldResult {
  /** The agent that reported the first of the events. */
  readonly agent_id: AgentId
  /** The stored task before the events; undefined: there was none. */
  readonly stored: StoredTask | undefined
  readonly row: TaskRecord
  /** Changes of the workers' counts; negative where a later event corrects an earlier one. */
  readonly ends: ReadonlyArray<WorkerEnds>
  /** Changes of the failed attempts; negative where a later event corrects an earlier one. */
  readonly failures: ReadonlyArray<FailureChange>
  /** For trigger events; null: no attempt ended. */
  readonly newEnds: TaskEnds | null
  /** What the stored task adds to the rollups; null: there was none. */
  readonly before: Contribution | null
  /** What the new row adds to them. */
  readonly after: Contribution
}
