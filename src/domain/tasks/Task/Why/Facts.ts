import type { QueuePause } from "../../../agents/QueuePause.ts"
import type { TaskState } from "../../../kernel/TaskState.ts"
import type { Timestamp as Time } from "../../../kernel/Timestamp.ts"

/** What the brain knows that may keep a task from running. */
export interface WhyFacts {
  readonly now: Time
  readonly task: {
    readonly engine: string
    readonly task_id: string
    readonly name: string
    readonly queue: string | null
    readonly state: TaskState
    readonly eta: Time | null
    readonly first_event_at: Time
    readonly started_at: Time | null
    readonly finished_at: Time | null
    readonly worker_name: string | null
    readonly exception: string | null
  }
  /** Agents that serve the engine. */
  readonly agents: {
    readonly total: number
    readonly online: number
    readonly last_seen_at: Time | null
    /** The names of those online that report only received tasks, and of those whose broker does not respond. */
    readonly eventsOff: ReadonlyArray<string>
    readonly brokerAbsent: ReadonlyArray<string>
  }
  /** The engine's workers, online ones first. */
  readonly workers: ReadonlyArray<WorkerFact>
  /** Whether the task's worker lists it among its running tasks; null: it lists none. */
  readonly isListed: boolean | null
  readonly queue: { readonly depth: number | null; readonly last_seen_at: Time | null } | null
  /** The pause of its queue; null: it is not paused, or its agent cannot see pauses. */
  readonly pause: QueuePause | null
  /** Older tasks of the queue that wait, as far as the brain knows them; `isAtLeast`: there may be more. */
  readonly ahead: { readonly tasks: number; readonly isAtLeast: boolean }
  /** Children that have not ended. */
  readonly children: ReadonlyArray<{ readonly engine: string; readonly task_id: string; readonly state: TaskState }>
  /** Completed commands that steer workers, newest first. */
  readonly controls: ReadonlyArray<ControlFact>
  /** Commands about the task that have not ended. */
  readonly openCommands: ReadonlyArray<{ readonly id: string; readonly action: string; readonly issued_at: Time }>
  readonly orphaned: { readonly orphaned_at: Time; readonly detail: string } | null
  /** The last question about its outcome; null: never asked. */
  readonly question: QuestionFact | null
}

export interface QuestionFact {
  readonly id: string
  readonly asked_at: Time
  readonly status: string
  /** The engine's state in the result; null without a result. */
  readonly engine_state: string | null
  readonly error: string | null
}

export interface WorkerFact {
  readonly name: string
  readonly isOnline: boolean
  readonly last_heartbeat: Time | null
  readonly queues: ReadonlyArray<string>
  readonly concurrency: number | null
  readonly active_tasks: number
}

export interface ControlFact {
  readonly id: string
  readonly action: string
  /** Null: all workers. */
  readonly worker_name: string | null
  readonly queue: string | null
  readonly task_name: string | null
  readonly rate: string | null
  readonly completed_at: Time
}
