import { Data, type Effect, type Scope } from "effect"
import type { JsonInput } from "../../domain/CanonicalJson.ts"
import type { EventKind } from "../../domain/TaskEvent.ts"

/** One thing that happened in an engine, in the words of the agents' protocol (section 4). */
export interface EngineEvent {
  readonly kind: EventKind
  /** The engine's own id of the task; empty where the event is about none. */
  readonly taskId: string
  /** Epoch milliseconds; may have a fraction. */
  readonly occurredAt: number
  /** As the engine has it: the runtime masks secrets, cuts what is too long and makes it canonical. */
  readonly data: { readonly [field: string]: JsonInput | undefined }
}

/**
 * Takes an event for the brain. Plain code on the host's own path: never throws, never waits, costs microseconds. What
 * finds no room in the buffer any more is counted as lost.
 */
export type Report = (event: EngineEvent) => void

/** How long a task may wait before it runs: `eta` in epoch seconds, or seconds from now. Neither: at once. */
export interface When {
  readonly eta?: number
  readonly eta_seconds?: number
}

/** A call of a task with all that it is called with. */
export interface Call extends When {
  readonly task_name: string
  readonly args: ReadonlyArray<JsonInput>
  readonly kwargs: { readonly [name: string]: JsonInput }
  readonly queue?: string
  readonly priority?: number
}

/** Overrides come both or not at all. */
export interface Retry extends When {
  readonly task_id: string
  readonly task_name?: string
  readonly overrides?: Pick<Call, "args" | "kwargs">
  readonly priority?: string | number
}

export interface Purge {
  readonly queue: string
  readonly force: boolean
  /**
   * Whether the queue may be emptied at this depth (protocol, section 5.3); fails with the sentence why not. The engine
   * measures the depth and asks just before it purges.
   */
  readonly confirm: (depth: number) => Effect.Effect<void, ActionFailed>
}

export interface DeadLetter {
  readonly task_id: string
  readonly task_name: string
  readonly queue: string
  /** Epoch milliseconds. */
  readonly failed_at: number | null
  readonly error_excerpt: string
  readonly attempts: number
}

export interface DeadLetterPage {
  readonly entries: ReadonlyArray<DeadLetter>
  readonly next_cursor: string | null
  readonly total: number
}

/** `unknown`: the engine does not remember it. */
export type EngineState = "pending" | "started" | "success" | "failure" | "unknown"

export interface Reconciled {
  readonly engine_state: EngineState
  /** Epoch milliseconds. */
  readonly finished_at: number | null
  readonly exception: string | null
}

/** What an action answers on success: the members of `command_result.result` (protocol, section 5.2). */
export type Answer = { readonly [member: string]: JsonInput | undefined }

/** The engine cannot or will not: one sentence for the operator, which the command then shows. */
export class ActionFailed extends Data.TaggedError("ActionFailed")<{
  readonly message: string
  /** Whether the work may have happened all the same, so that nobody should retry blindly. */
  readonly indeterminate?: boolean
}> {}

type Action<Request> = (request: Request) => Effect.Effect<Answer, ActionFailed>

/**
 * What an engine may be asked to do. What is implemented is what the agent advertises: an action that is left out is
 * answered `failed` with a sentence that says so. Actions of one agent run one after the other.
 */
export interface Actions {
  readonly submit_task?: Action<Call>
  readonly retry_task?: Action<Retry>
  readonly cancel_task?: Action<{ readonly task_id: string }>
  readonly purge_queue?: Action<Purge>
  readonly restart_worker?: Action<{ readonly worker_name: string }>
  /** `delta` is never 0; negative shrinks. Advertised as `pool_grow` and `pool_shrink`. */
  readonly pool_resize?: Action<{ readonly worker_name: string; readonly delta: number }>
  readonly add_consumer?: Action<{ readonly worker_name: string; readonly queue: string }>
  readonly cancel_consumer?: Action<{ readonly worker_name: string; readonly queue: string }>
  /** `rate`: `0` for none, `n` or `n/s`, `n/m`, `n/h`. No worker: all. */
  readonly rate_limit?: Action<{ readonly task_name: string; readonly rate: string; readonly worker_name?: string }>
  readonly requeue_dead_letter?: Action<Retry>
  /** Advertised as `list_dead_letters`. */
  readonly list_dead_letters?: (
    request: { readonly queue: string | null; readonly limit: number; readonly cursor: string | null }
  ) => Effect.Effect<DeadLetterPage, ActionFailed>
}

export interface WorkerInventory {
  readonly name: string
  readonly hostname: string | null
  readonly pid: number | null
  readonly concurrency: number | null
  readonly queues: ReadonlyArray<string>
  readonly activeTasks: number
  /** Names of the tasks that it can run, where the engine knows them. */
  readonly registered: ReadonlyArray<string>
}

/** A schedule of the engine's own, as it stands now. */
export interface NativeSchedule {
  /** The engine's own key of it, by which commands name it; of more than 200 characters it is not published. */
  readonly id: string
  readonly name: string
  readonly task_name: string
  readonly kind: "cron" | "interval"
  /** A cron pattern, or seconds as text: `30.0`. */
  readonly expression: string
  readonly timezone: string
  readonly queue: string | null
  /** As the engine has them: the runtime masks secrets. */
  readonly args: ReadonlyArray<JsonInput>
  readonly kwargs: { readonly [name: string]: JsonInput }
  readonly is_enabled: boolean
  /** Epoch milliseconds. */
  readonly next_run_at: number | null
  readonly last_run_at: number | null
  readonly total_runs: number
}

export type ScheduleAction = Action<{ readonly schedule_id: string }>

/** Where an engine has schedules of its own (protocol, section 6). They are published when the brain asks for them. */
export interface Scheduler {
  /** Free text, lower case, at most 40 characters, and no engine's: `bullmq-scheduler`. */
  readonly name: string
  /**
   * All of them: one that is missing counts as deleted, so it fails where it cannot have all. Asked only while the
   * engine runs: when the brain asks, after changes by command, and once a minute in between.
   */
  readonly list: Effect.Effect<ReadonlyArray<NativeSchedule>, ActionFailed>
  /** What is implemented is advertised, as with an engine's actions. */
  readonly actions: {
    /** Runs the task once, now; when the schedule runs next stays as it was. */
    readonly trigger_now?: ScheduleAction
    readonly delete?: ScheduleAction
  }
}

/** What stands there now; asked for with each heartbeat, never more than one question at a time. */
export interface Inventory {
  /** `redis`, `postgresql`, `memory` … */
  readonly brokerType: string
  readonly brokerConnected: boolean
  /** Waiting tasks, by queue. */
  readonly queueDepths: { readonly [queue: string]: number }
  readonly workers: ReadonlyArray<WorkerInventory>
}

/**
 * A task engine as the agent sees it. An adapter is a function from its own options to this; the conformance suite
 * (`test/agents/engines/conformance.ts`) says what the runtime relies on.
 */
export interface Engine {
  /** Free text, lower case, at most 40 characters: `bullmq`. */
  readonly name: string
  /**
   * Begins to listen and reports what happens until the scope closes. A broker that is away is no failure: the engine
   * waits for it. Fails only for what no waiting mends (an option that is wrong), with a sentence that says so.
   */
  readonly start: (report: Report) => Effect.Effect<void, EngineRefused, Scope.Scope>
  readonly actions: Actions
  /** Whether `retry_task` without overrides runs the same task again by the engine's own record (section 5.4). */
  readonly retriesByReference: boolean
  readonly inventory: Effect.Effect<Inventory, ActionFailed>
  /** What became of a task; needs no capability. */
  readonly reconcile: (taskId: string) => Effect.Effect<Reconciled, ActionFailed>
  /** Left out where the engine has no schedules of its own. */
  readonly scheduler?: Scheduler
}

/** The adapter cannot begin; the sentence says what to change. */
export class EngineRefused extends Data.TaggedError("EngineRefused")<{ readonly message: string }> {}
