import { Data, type Effect, type Scope } from "effect"
import type { JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import type { EventKind } from "../../domain/kernel/TaskEvent.ts"

/** An event of an engine, as the agents' protocol has it (section 4). */
export interface EngineEvent {
  readonly kind: EventKind
  /** The engine's own id of the task; empty for an event without a task. */
  readonly taskId: string
  /** Epoch milliseconds; may have a fraction. */
  readonly occurredAt: number
  /** The engine's values: the runtime masks secrets, truncates long values and encodes canonical JSON. */
  readonly data: { readonly [field: string]: JsonInput | undefined }
}

/**
 * Accepts an event for the brain. Plain code on the host's path: never throws, never waits, costs microseconds. An
 * event beyond the buffer's capacity is counted as lost.
 */
export type ReportEvent = (event: EngineEvent) => void

/** When a task runs: `eta` in epoch seconds, or `eta_seconds` from now. Neither: at once. */
export interface RunAt {
  readonly eta?: number
  readonly eta_seconds?: number
}

/** A call of a task with its arguments. */
export interface TaskCall extends RunAt {
  readonly task_name: string
  readonly args: ReadonlyArray<JsonInput>
  readonly kwargs: { readonly [name: string]: JsonInput }
  readonly queue?: string
  readonly priority?: number
  /**
   * A UUID, for example of a schedule's fire. A task that was submitted under it, even by another process, is not
   * submitted again: the engine returns its id.
   */
  readonly submission_id?: string
}

/** Both overrides are given, or neither. */
export interface RetryRequest extends RunAt {
  readonly task_id: string
  readonly task_name?: string
  readonly overrides?: Pick<TaskCall, "args" | "kwargs">
  readonly priority?: string | number
}

export interface PurgeRequest {
  readonly queue: string
  readonly force: boolean
  /**
   * Succeeds when the queue may be emptied at this depth (protocol, section 5.3), else fails with the reason. The
   * engine measures the depth and calls this just before it purges.
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

/** `unknown`: the engine has no record of it. */
export type EngineState = "pending" | "started" | "success" | "failure" | "unknown"

export interface ReconcileOutcome {
  readonly engine_state: EngineState
  /** Epoch milliseconds. */
  readonly finished_at: number | null
  readonly exception: string | null
}

/** The result of a successful action: the members of `command_result.result` (protocol, section 5.2). */
export type ActionResult = { readonly [member: string]: JsonInput | undefined }

/** The engine failed or refused: one sentence for the operator, shown in the command. */
export class ActionFailed extends Data.TaggedError("ActionFailed")<{
  readonly message: string
  /** The work may have been done, so a blind retry could do it twice. */
  readonly indeterminate?: boolean
}> {}

type Action<Request> = (request: Request) => Effect.Effect<ActionResult, ActionFailed>

/**
 * The actions of an engine. The agent advertises those that are implemented; the others result in `failed` with a
 * sentence that says so. Actions of one agent run one after the other.
 */
export interface Actions {
  readonly submit_task?: Action<TaskCall>
  readonly retry_task?: Action<RetryRequest>
  readonly cancel_task?: Action<{ readonly task_id: string }>
  readonly purge_queue?: Action<PurgeRequest>
  /** No worker of any process takes tasks of the queue until it is resumed; running ones continue. */
  readonly pause_queue?: Action<{ readonly queue: string }>
  readonly resume_queue?: Action<{ readonly queue: string }>
  readonly restart_worker?: Action<{ readonly worker_name: string }>
  /** `delta` is never 0; negative shrinks. Advertised as `pool_grow` and `pool_shrink`. */
  readonly pool_resize?: Action<{ readonly worker_name: string; readonly delta: number }>
  readonly add_consumer?: Action<{ readonly worker_name: string; readonly queue: string }>
  readonly cancel_consumer?: Action<{ readonly worker_name: string; readonly queue: string }>
  /** `rate`: `0` for none, `n` or `n/s`, `n/m`, `n/h`. No worker: all. */
  readonly rate_limit?: Action<{ readonly task_name: string; readonly rate: string; readonly worker_name?: string }>
  readonly requeue_dead_letter?: Action<RetryRequest>
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
  /** Their ids. Absent where the engine only counts them, or lists not all of them. */
  readonly activeTaskIds?: ReadonlyArray<string>
  /** Names of the tasks that the worker can run, where the engine knows them. */
  readonly registered: ReadonlyArray<string>
}

/** One of the engine's own schedules, as it is now. */
export interface NativeSchedule {
  /** The engine's key, which commands use. A schedule with a key over 200 characters is not published. */
  readonly id: string
  readonly name: string
  readonly task_name: string
  readonly kind: "cron" | "interval" | "solar" | "clocked"
  /** A cron pattern, seconds as text (`30.0`), the event of a solar one, the ISO time of a clocked one. */
  readonly expression: string
  readonly timezone: string
  readonly queue: string | null
  /** The engine's values: the runtime masks secrets. */
  readonly args: ReadonlyArray<JsonInput>
  readonly kwargs: { readonly [name: string]: JsonInput }
  readonly is_enabled: boolean
  /**
   * Epoch milliseconds. In the past where the run is due and has not begun, so that the brain sees that it is late;
   * null where no run will follow.
   */
  readonly next_run_at: number | null
  /** When the last run began; null where the engine does not know. */
  readonly last_run_at: number | null
  /** Runs that have begun. */
  readonly total_runs: number
  /** Settings for which a row has no field, such as a limit. The row has their hash, so that a change is noticed. */
  readonly settings?: { readonly [name: string]: JsonInput | undefined }
}

/** The part of a schedule that commands write. */
export type ScheduleDefinition = Pick<
  NativeSchedule,
  "name" | "task_name" | "kind" | "expression" | "timezone" | "queue" | "args" | "kwargs" | "is_enabled"
>

/** A schedule to create. Absent members have the engine's defaults. */
export type NewSchedule =
  & Pick<ScheduleDefinition, "name" | "task_name" | "kind" | "expression">
  & Partial<ScheduleDefinition>

export type ScheduleAction = Action<{ readonly schedule_id: string }>

/** An engine's own schedules (protocol, section 6). The agent publishes them when the brain asks. */
export interface Scheduler {
  /** Free text, lower case, at most 40 characters, not an engine's name: `bullmq-scheduler`. */
  readonly name: string
  /**
   * All schedules. A missing one counts as deleted, so this fails where it cannot list all. Called only while the
   * engine runs: when the brain asks, after changes by command, and once a minute.
   */
  readonly list: Effect.Effect<ReadonlyArray<NativeSchedule>, ActionFailed>
  /** Implemented operations are advertised, as an engine's actions are. */
  readonly actions: {
    /** Runs the task once, now, and once for a `submission_id`. The schedule's next run does not change. */
    readonly trigger_now?: Action<{ readonly schedule_id: string } & Pick<TaskCall, "submission_id">>
    readonly delete?: ScheduleAction
    /** Both are implemented, or neither. A schedule that is as demanded already is left so. */
    readonly enable?: ScheduleAction
    readonly disable?: ScheduleAction
    /** Fails where the engine has a schedule of this key. */
    readonly create?: (definition: NewSchedule) => Effect.Effect<{ readonly schedule_id: string }, ActionFailed>
    /** Changes the members that `definition` has, and only these. */
    readonly update?: Action<{ readonly schedule_id: string; readonly definition: Partial<ScheduleDefinition> }>
  }
  /** Why the engine cannot do what is not implemented, and what to do instead; ends the refusal of a command. */
  readonly unsupported?: { readonly [operation in keyof Scheduler["actions"]]?: string }
}

/** Workers and queue depths now. Called with each heartbeat, one call at a time. */
export interface Inventory {
  /** `redis`, `postgresql`, `memory` … */
  readonly brokerType: string
  readonly brokerConnected: boolean
  /** Waiting tasks, by queue. */
  readonly queueDepths: { readonly [queue: string]: number }
  /** Those of these queues that are paused. Absent where the engine cannot see pauses. */
  readonly pausedQueues?: ReadonlyArray<string>
  readonly workers: ReadonlyArray<WorkerInventory>
}

/**
 * A task engine. An adapter is a function from its own options to this; the conformance suite
 * (`test/agent/engines/conformance.ts`) tests what the runtime relies on.
 */
export interface Engine {
  /** Free text, lower case, at most 40 characters: `bullmq`. */
  readonly name: string
  /**
   * Begins to listen, and reports events until the scope closes. The engine waits for a broker that is away. It fails
   * only where waiting does not help (an invalid option), with a sentence that says so.
   */
  readonly start: (report: ReportEvent) => Effect.Effect<void, EngineRefused, Scope.Scope>
  readonly actions: Actions
  /** Whether `retry_task` without overrides runs the same task again by the engine's own record (section 5.4). */
  readonly retriesByReference: boolean
  readonly inventory: Effect.Effect<Inventory, ActionFailed>
  /**
   * What names the broker, where task ids are unique only within it: agents that name the same one share its tasks. May
   * wait for the broker; absent where ids are globally unique.
   */
  readonly source?: Effect.Effect<string, ActionFailed>
  /** The state of a task. Needs no capability. */
  readonly reconcile: (taskId: string) => Effect.Effect<ReconcileOutcome, ActionFailed>
  /** Absent where the engine has no schedules. */
  readonly scheduler?: Scheduler
}

/** The adapter cannot start; the sentence says what to change. */
export class EngineRefused extends Data.TaggedError("EngineRefused")<{ readonly message: string }> {}
