import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import {
  ActionFailed,
  type Actions,
  type Engine,
  type NativeSchedule,
  type NewSchedule,
  type ReportEvent,
  type TaskCall
} from "../../../src/agent/runtime/Engine.ts"
import type { JsonInput } from "../../../src/domain/kernel/CanonicalJson.ts"

interface Job extends TaskCall {
  readonly id: string
  state: "waiting" | "running" | "success" | "failure" | "cancelled"
  error: string | null
  finishedAt: number | null
  attempts: number
}

/** A small task engine in memory: queues, one worker, tasks that succeed unless their first argument is "fail". */
export class MemoryEngine {
  readonly jobs = new Map<string, Job>()
  /** Every action that was carried out, in order. */
  readonly done: Array<string> = []
  report: ReportEvent = () => {}
  private concurrency = 1
  private limits: Record<string, string> = {}
  private consumed = new Set(["default"])
  private readonly paused = new Set<string>()
  /** How many of each task have run under its limit, which counts for ever. */
  private readonly counted = new Map<string, number>()
  private serving = false
  inventoryFails = false

  /** With `schedules` the engine has a scheduler, and these. */
  constructor(
    readonly name = "memory",
    private readonly without: ReadonlyArray<keyof Actions> = [],
    readonly schedules?: Map<string, NativeSchedule>
  ) {}

  /** Adds a schedule that runs once an hour. */
  schedule(id: string, more: Partial<NativeSchedule> = {}): string {
    this.schedules?.set(id, {
      id,
      name: id,
      task_name: "shop.report",
      kind: "interval",
      expression: "3600.0",
      timezone: "UTC",
      queue: null,
      args: [],
      kwargs: {},
      is_enabled: true,
      next_run_at: 1_800_000_000_000,
      last_run_at: null,
      total_runs: 0,
      ...more
    })
    return id
  }

  enqueue(call: Partial<TaskCall> = {}): string {
    const id = call.submission_id ?? randomUUID()
    if (this.jobs.has(id)) return id
    this.jobs.set(id, {
      id,
      task_name: "shop.pay",
      args: [],
      kwargs: {},
      queue: "default",
      ...call,
      state: "waiting",
      error: null,
      finishedAt: null,
      attempts: 0
    })
    this.emit("task.received", id)
    this.takeAll()
    return id
  }

  /** From now on the worker takes what waits, as far as its queues and the limits of rates let it. */
  serve(): void {
    this.serving = true
    this.takeAll()
  }

  private takeAll(): void {
    if (!this.serving) return
    for (const { id, queue, state, task_name } of this.jobs.values()) {
      const count = this.counted.get(task_name) ?? 0
      const most = parseInt(this.limits[task_name] ?? "0") || Infinity
      if (
        state !== "waiting" || this.paused.has(queue ?? "default") || !this.consumed.has(queue ?? "default") ||
        count >= most
      ) continue
      this.counted.set(task_name, count + 1)
      this.work(id)
    }
  }

  /** Runs a waiting job to its end, if it has one. */
  work(id: string): void {
    const job = this.job(id)
    job.state = "running"
    job.attempts++
    this.emit("task.started", id)
    if (job.args[0] === "endless") return
    const fails = job.args[0] === "fail"
    job.state = fails ? "failure" : "success"
    job.error = fails ? "Error: it was told to" : null
    job.finishedAt = Date.now()
    if (fails) this.emit("task.failed", id, { exception: "Error", exception_message: "it was told to" })
    else this.emit("task.succeeded", id, { result: "ok", runtime_ms: 1 })
  }

  get engine(): Engine {
    const { schedules } = this
    const actions = Object.fromEntries(
      Object.entries(this.actions()).filter(([name]) => !this.without.some((left) => left === name))
    )
    return {
      name: this.name,
      start: (report) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            this.report = report
          }),
          () =>
            Effect.sync(() => {
              this.report = () => {}
            })
        ),
      actions,
      ...(schedules === undefined ? {} : { scheduler: this.scheduler(schedules) }),
      retriesByReference: true,
      inventory: Effect.suspend(() =>
        this.inventoryFails ? new ActionFailed({ message: "the broker is away" }) : Effect.sync(() => this.inventory())
      ),
      reconcile: (id) =>
        Effect.sync(() => {
          const job = this.jobs.get(id)
          const states = {
            waiting: "pending",
            running: "started",
            success: "success",
            failure: "failure",
            cancelled: "failure"
          } as const
          return {
            engine_state: job === undefined ? "unknown" : states[job.state],
            finished_at: job?.finishedAt ?? null,
            exception: job?.error ?? null
          }
        })
    }
  }

  private scheduler(schedules: Map<string, NativeSchedule>) {
    const named = (id: string) => {
      const found = schedules.get(id)
      return found === undefined ? new ActionFailed({ message: `there is no schedule ${id}` }) : Effect.succeed(found)
    }
    /** A disabled schedule has no next run. */
    const turn = (id: string, is_enabled: boolean) =>
      Effect.map(named(id), (found) => {
        const next_run_at = is_enabled ? 1_800_000_000_000 : null
        schedules.set(id, { ...found, is_enabled, next_run_at })
        return {}
      })
    return {
      name: `${this.name}-clock`,
      list: Effect.suspend(() =>
        this.inventoryFails
          ? new ActionFailed({ message: "the broker is away" })
          : Effect.sync(() => [...schedules.values()])
      ),
      actions: {
        trigger_now: (
          { schedule_id, submission_id = randomUUID() }: {
            readonly schedule_id: string
            readonly submission_id?: string
          }
        ) =>
          Effect.map(
            named(schedule_id),
            ({ args, kwargs, task_name }) => ({ task_id: this.enqueue({ task_name, args, kwargs, submission_id }) })
          ),
        enable: ({ schedule_id }: { readonly schedule_id: string }) => turn(schedule_id, true),
        disable: ({ schedule_id }: { readonly schedule_id: string }) => turn(schedule_id, false),
        create: (definition: NewSchedule) =>
          Effect.suspend(() =>
            schedules.has(definition.name)
              ? new ActionFailed({ message: `there is a schedule ${definition.name} already` })
              : Effect.succeed({ schedule_id: this.schedule(definition.name, definition) })
          ),
        update: (
          { definition, schedule_id }: { readonly schedule_id: string; readonly definition: Partial<NativeSchedule> }
        ) => Effect.map(named(schedule_id), (found) => (schedules.set(schedule_id, { ...found, ...definition }), {})),
        delete: ({ schedule_id }: { readonly schedule_id: string }) =>
          Effect.map(named(schedule_id), () => (schedules.delete(schedule_id), {}))
      }
    }
  }

  private inventory() {
    const waiting = [...this.jobs.values()].filter(({ state }) => state === "waiting")
    const queues = [...new Set(["default", ...waiting.map(({ queue }) => queue ?? "default")])]
    return {
      brokerType: "memory",
      brokerConnected: true,
      queueDepths: Object.fromEntries(queues.map((queue) => [queue, this.depth(queue)])),
      pausedQueues: [...this.paused],
      workers: [{
        name: "w1@here",
        hostname: "here",
        pid: process.pid,
        concurrency: this.concurrency,
        queues: [...this.consumed],
        activeTasks: 0,
        registered: ["shop.pay"]
      }]
    }
  }

  private depth(queue: string): number {
    return [...this.jobs.values()].filter((job) => job.state === "waiting" && job.queue === queue).length
  }

  private actions(): Actions {
    const record = <A extends { readonly [name: string]: JsonInput }>(what: string, result: A) =>
      Effect.sync(() => {
        this.done.push(what)
        return result
      })
    return {
      submit_task: (call) =>
        Effect.suspend(() => record("submit_task", { task_id: this.enqueue(call), engine: this.name })),
      retry_task: ({ overrides, task_id }) =>
        Effect.suspend(() => {
          const job = this.jobs.get(task_id)
          if (job === undefined) return new ActionFailed({ message: `there is no task ${task_id}` })
          return record("retry_task", { new_task_id: this.enqueue({ ...job, ...overrides }) })
        }),
      cancel_task: ({ task_id }) =>
        Effect.suspend(() => {
          const job = this.jobs.get(task_id)
          if (job?.state !== "waiting") return new ActionFailed({ message: `${task_id} does not wait any more` })
          job.state = "cancelled"
          this.emit("task.revoked", task_id)
          return record("cancel_task", { task_id })
        }),
      purge_queue: ({ confirm, queue }) =>
        Effect.gen(this, function*() {
          const depth = this.depth(queue)
          yield* confirm(depth)
          for (const job of this.jobs.values()) {
            if (job.state === "waiting" && job.queue === queue) this.jobs.delete(job.id)
          }
          return yield* record("purge_queue", { queue, purged: depth })
        }),
      pause_queue: ({ queue }) =>
        Effect.suspend(() => (this.paused.add(queue), record("pause_queue", { queue, paused: true }))),
      resume_queue: ({ queue }) =>
        Effect.suspend(
          () => (this.paused.delete(queue), this.takeAll(), record("resume_queue", { queue, paused: false }))
        ),
      restart_worker: ({ worker_name }) => record("restart_worker", { worker: worker_name }),
      pool_resize: ({ delta, worker_name }) =>
        Effect.suspend(() => {
          if (this.concurrency + delta < 1) return new ActionFailed({ message: "a pool keeps at least one" })
          this.concurrency += delta
          return record("pool_resize", { worker: worker_name, delta, concurrency: this.concurrency })
        }),
      add_consumer: ({ queue, worker_name }) =>
        Effect.suspend(
          () => (this.consumed.add(queue), this.takeAll(), record("add_consumer", { worker: worker_name, queue }))
        ),
      cancel_consumer: ({ queue, worker_name }) =>
        Effect.suspend(() => (this.consumed.delete(queue), record("cancel_consumer", { worker: worker_name, queue }))),
      rate_limit: ({ rate, task_name }) =>
        Effect.suspend(
          () => ((this.limits[task_name] = rate), this.takeAll(), record("rate_limit", { task_name, rate }))
        ),
      requeue_dead_letter: ({ task_id }) =>
        Effect.suspend(() => {
          const job = this.jobs.get(task_id)
          if (job?.state !== "failure") return new ActionFailed({ message: `${task_id} is not a dead letter` })
          job.state = "waiting"
          return record("requeue_dead_letter", { task_id })
        }),
      list_dead_letters: ({ limit, queue }) =>
        Effect.sync(() => {
          const failed = [...this.jobs.values()].filter((job) =>
            job.state === "failure" && (queue === null || job.queue === queue)
          )
          const entries = failed.slice(0, limit).map((job) => ({
            task_id: job.id,
            task_name: job.task_name,
            queue: job.queue ?? "default",
            failed_at: job.finishedAt,
            error_excerpt: job.error ?? "",
            attempts: job.attempts
          }))
          return { entries, next_cursor: null, total: failed.length }
        })
    }
  }

  private job(id: string): Job {
    const job = this.jobs.get(id)
    if (job === undefined) throw new Error(`no job ${id}`)
    return job
  }

  private emit(
    kind: "task.received" | "task.started" | "task.succeeded" | "task.failed" | "task.revoked",
    taskId: string,
    more = {}
  ): void {
    const { args, kwargs, queue, task_name } = this.job(taskId)
    this.report({
      kind,
      taskId,
      occurredAt: Date.now(),
      data: {
        task_name,
        queue: queue ?? "default",
        worker: kind === "task.received" ? null : "w1@here",
        args,
        kwargs,
        ...more
      }
    })
  }
}
