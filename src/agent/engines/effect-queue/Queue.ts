import type { PersistedQueue } from "@effect/experimental"
import type { SqlError } from "@effect/sql"
import {
  Cause,
  type Clock,
  Deferred,
  Effect,
  Exit,
  FiberRef,
  FiberSet,
  HashSet,
  identity,
  Option,
  type ParseResult,
  Schema
} from "effect"
import { hostname } from "node:os"
import type { JsonInput } from "../../../domain/kernel/CanonicalJson.ts"
import type { EngineEvent } from "../../runtime/Engine.ts"
import { TaskOutput } from "../../runtime/TaskOutput.ts"
import { Attempt, type TaskData } from "./Attempt.ts"
import {
  argumentsOf,
  candidateValuesOf,
  CurrentTask,
  type Element,
  type Json,
  makeElement,
  readElement
} from "./Element.ts"
import type { QueueRecords } from "./Records.ts"
import { makeTaskLogger } from "./TaskLogger.ts"
import { Worker } from "./Worker.ts"

export interface QueueOptions<A, I> {
  /** At most 100 characters, the width of the store's column. */
  readonly name: string
  /** The schema of values. A struct's fields are shown as named arguments, an array's items as positional ones. */
  readonly schema: Schema.Schema<A, I>
  /** The task's name, for people (default: the value's `_tag`, else the queue's name). */
  readonly taskName?: (value: A) => string
  /** Attempts before the store gives up (default 10), without a pause between them. */
  readonly maxAttempts?: number
  /** Whether what handlers log is sent to the brain (default: true). */
  readonly logs?: boolean
}

export interface RunOptions {
  /** Tasks at once (default 1); `pool_resize` changes it. */
  readonly concurrency?: number
  /** Default: `<queue>@<hostname>:<pid>`. */
  readonly workerName?: string
}

/** What a handler gets beside the value. `attempt` counts from 1. */
export interface TaskInfo {
  readonly id: string
  readonly attempt: number
}

type Handler<A, E, R> = (value: A, task: TaskInfo) => Effect.Effect<unknown, E, R>
type OfferFailure = PersistedQueue.PersistedQueueError | ParseResult.ParseError | SqlError.SqlError

/** A persisted queue whose tasks an agent reports and controls. */
export class EffectQueue<A, I> {
  readonly workers = new Set<Worker>()
  readonly ref: { readonly name: string; readonly maxAttempts: number }
  /**
   * Only one take of all workers waits at a time: the store in memory wakes all waiting takes for one element, and all
   * but one fail.
   */
  private readonly takeLock = Effect.unsafeMakeSemaphore(1)
  private readonly listeners = new Set<(event: EngineEvent) => void>()
  private readonly output = new TaskOutput((event) => this.publish(event))
  private readonly encode: (value: A) => Effect.Effect<I, ParseResult.ParseError>
  private readonly decode: (value: unknown) => Effect.Effect<A, ParseResult.ParseError>

  constructor(
    private readonly options: QueueOptions<A, I>,
    private readonly queue: PersistedQueue.PersistedQueue<unknown>,
    readonly records: QueueRecords["Type"],
    private readonly clock: Clock.Clock
  ) {
    this.ref = { name: options.name, maxAttempts: options.maxAttempts ?? 10 }
    this.encode = Schema.encode(options.schema)
    this.decode = Schema.decodeUnknown(options.schema)
  }

  get name(): string {
    return this.ref.name
  }

  /**
   * Puts a task into the queue and returns its id. An id that the store already has changes nothing. Within a handler
   * of this or another queue the task is a child of the handled one.
   */
  offer(value: A, options?: { readonly id?: string }): Effect.Effect<string, OfferFailure> {
    return Effect.gen(this, function*() {
      const encoded = (yield* this.encode(value)) as Json // the store keeps it as JSON
      const lineage = yield* CurrentTask
      return yield* this.put(makeElement(encoded, lineage), options?.id)
    })
  }

  /** Handles tasks until interrupted. Tasks that run then go back into the queue. */
  run<E, R>(handler: Handler<A, E, R>, options: RunOptions = {}): Effect.Effect<never, never, R> {
    return Effect.scoped(Effect.gen(this, function*() {
      const worker = yield* this.acquireWorker(options)
      const tasks = yield* FiberSet.make()
      yield* this.followPause(worker)
      const next = Effect.gen(this, function*() {
        if (!worker.isOpen) return // closed while it waited for its turn
        const canTakeNext = yield* Deferred.make<void>()
        yield* FiberSet.run(tasks, this.handleNext(worker, handler, canTakeNext))
        yield* Deferred.await(canTakeNext)
      })
      for (;;) {
        yield* worker.gate.await
        yield* this.takeLock.withPermits(1)(next)
      }
    }))
  }

  /** Pauses the queue for the workers of all processes, or resumes it; running tasks continue. */
  setPaused(isPaused: boolean): Effect.Effect<void, SqlError.SqlError> {
    return Effect.zipRight(
      this.records.setPaused(this.ref, isPaused),
      Effect.sync(() => {
        for (const worker of this.workers) worker.setQueuePaused(isPaused)
      })
    )
  }

  /** Subscribes to events until the returned function is called. */
  listen(listener: (event: EngineEvent) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** Puts an element into the store as it is. */
  put(element: Element, id?: string): Effect.Effect<string, OfferFailure> {
    return Effect.gen(this, function*() {
      if (id !== undefined && (yield* this.records.find(this.ref, id)) !== undefined) return id
      const taskId = id ?? crypto.randomUUID()
      yield* this.records.recordOffer(this.ref, taskId, element)
      const occurredAt = this.now()
      yield* this.queue.offer(element, { id: taskId })
      this.reportReceived(element, taskId, occurredAt)
      return taskId
    })
  }

  /** Reports that the element waits (again). */
  reportReceived(element: Element, taskId: string, occurredAt = this.now()): void {
    this.publish({ kind: "task.received", taskId, occurredAt, data: this.dataOf(element, null) })
  }

  /** Reports that the task was removed before it ran. */
  reportRevoked(taskId: string, element: Element | null): void {
    const data = element === null ? { queue: this.name } : this.dataOf(element, null)
    this.publish({ kind: "task.revoked", taskId, occurredAt: this.now(), data: { ...data, terminated: false } })
  }

  /** The value for these arguments, if it fits this queue's schema and the name (null: any name). */
  findValue(args: ReadonlyArray<JsonInput>, kwargs: { readonly [name: string]: JsonInput }, taskName: string | null) {
    return Effect.gen(this, function*() {
      for (const value of candidateValuesOf(args, kwargs)) {
        const decoded = yield* Effect.option(this.decode(value))
        if (Option.isSome(decoded) && (taskName === null || this.nameOfValue(decoded.value) === taskName)) {
          return Option.some(value)
        }
      }
      return Option.none<Json>()
    })
  }

  taskName(element: Element): string {
    const decoded = Schema.decodeUnknownOption(this.options.schema)(element.value)
    return Option.isSome(decoded) ? this.nameOfValue(decoded.value) : this.name
  }

  /** Reads the pause before the worker's first task, and then once a second, since another process may have changed it. */
  private followPause(worker: Worker) {
    const update = this.records.isPaused(this.ref).pipe(
      Effect.flatMap((isPaused) => Effect.sync(() => worker.setQueuePaused(isPaused))),
      Effect.catchAll((error) => Effect.logWarning(`The pause of the queue ${this.name} cannot be read.`, error))
    )
    return Effect.zipRight(update, Effect.forkScoped(Effect.forever(Effect.delay(update, "1 second"))))
  }

  private acquireWorker({ concurrency = 1, workerName = `${this.name}@${hostname()}:${process.pid}` }: RunOptions) {
    return Effect.acquireRelease(
      Effect.map(Effect.scope, (scope) => {
        const worker = new Worker(workerName, Math.max(1, Math.floor(concurrency)), scope)
        this.workers.add(worker)
        return worker
      }),
      (worker) => Effect.sync(() => this.workers.delete(worker))
    )
  }

  /** Takes an element, handles it and reports its end. `begun` is done once the next take may wait. */
  private handleNext<E, R>(
    worker: Worker,
    handler: Handler<A, E, R>,
    canTakeNext: Deferred.Deferred<void>
  ): Effect.Effect<void, never, R> {
    let attempt: Attempt | null = null
    let isReturned = false
    const handleElement = (stored: unknown, task: { readonly id: string; readonly attempts: number }) =>
      Effect.gen(this, function*() {
        // A waiting take is never interrupted: the store on SQL would lock the next element without a taker. So a
        // worker that was paused in between hands its element back. That counts as no attempt.
        isReturned = !worker.isOpen
        if (isReturned) return yield* Effect.interrupt
        if (!(yield* this.records.recordTake(this.ref, task.id, stored))) return
        const element = readElement(stored)
        const number = task.attempts + 1
        attempt = new Attempt(
          task.id,
          this.dataOf(element, worker.name),
          number,
          number >= this.ref.maxAttempts,
          this.now()
        )
        const cancelled = worker.enter(task.id)
        yield* Deferred.succeed(canTakeNext, void 0)
        yield* this.handle(worker, handler, element, attempt, cancelled)
      }).pipe(Effect.ensuring(Effect.sync(() => worker.leave(task.id))))
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        Effect.exit(restore(this.queue.take(handleElement, { maxAttempts: this.ref.maxAttempts }))),
        (exit) =>
          attempt === null
            ? (isReturned ? Effect.void : restore(pauseAfterFailure(this.name, exit)))
            : this.recordOutcome(attempt, exit)
      )
    ).pipe(Effect.ensuring(Deferred.succeed(canTakeNext, void 0)))
  }

  private handle<E, R>(
    worker: Worker,
    handler: Handler<A, E, R>,
    element: Element,
    attempt: Attempt,
    cancelled: Deferred.Deferred<void>
  ): Effect.Effect<unknown, E | ParseResult.ParseError, R> {
    const { data, number, taskId: id } = attempt
    return Effect.gen(this, function*() {
      yield* worker.awaitRateLimit(data.task_name)
      this.publish(attempt.start(this.now()))
      return yield* handler(yield* this.decode(element.value), { id, attempt: number })
    }).pipe(
      Effect.provideService(CurrentTask, {
        id,
        root: element.root ?? id,
        reportProgress: (value) => this.output.progress(id, value, this.now())
      }),
      this.options.logs === false
        ? identity
        : Effect.locallyWith(FiberRef.currentLoggers, HashSet.add(makeTaskLogger(this.output, id, number))),
      Effect.exit,
      Effect.raceFirst(Effect.as(Deferred.await(cancelled), "cancelled" as const)),
      Effect.tap((end) => Effect.sync(() => attempt.finish(end, this.now()))),
      Effect.flatMap((end) => (end === "cancelled" ? Effect.void : Exit.mapErrorCause(end, withoutInterrupts)))
    )
  }

  /** The store has recorded the end: it is reported now. */
  private recordOutcome(attempt: Attempt, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> {
    const { elementEnd, event } = attempt.outcome(this.now())
    this.output.end(attempt.taskId)
    if (attempt.isDone && Exit.isFailure(exit)) {
      return Effect.logError(
        `The task ${attempt.taskId} of ${this.name} ended, but the store could not record it: the task will run again.`,
        exit.cause
      )
    }
    return this.records.recordEnd(this.ref, attempt.taskId, elementEnd).pipe(
      Effect.catchAll((error) =>
        Effect.logWarning(`The end of the task ${attempt.taskId} of ${this.name} could not be recorded.`, error)
      ),
      Effect.zipRight(Effect.sync(() => this.publish(event)))
    )
  }

  private dataOf(element: Element, worker: string | null): TaskData {
    return {
      task_name: this.taskName(element),
      queue: this.name,
      worker,
      ...argumentsOf(element.value),
      parent_task_id: element.parent,
      root_task_id: element.root
    }
  }

  private nameOfValue(value: A): string {
    if (this.options.taskName !== undefined) return this.options.taskName(value)
    const tagged = typeof value === "object" && value !== null && "_tag" in value
    return tagged && typeof value._tag === "string" ? value._tag : this.name
  }

  private publish(event: EngineEvent): void {
    for (const listener of this.listeners) listener(event)
  }

  private now(): number {
    return this.clock.unsafeCurrentTimeMillis()
  }
}

/** The failure without its interruptions, for which the store in memory would count no attempt. */
const withoutInterrupts = <E>(cause: Cause.Cause<E>): Cause.Cause<E> =>
  Cause.isInterruptedOnly(cause) ? cause : Cause.filter(cause, (part) => !Cause.isInterruptType(part))

/** The delay after a failed take: none, or a second when the store failed or was closed. */
const pauseAfterFailure = (queue: string, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Exit.isSuccess(exit)
    ? Effect.void
    : Effect.zipRight(
      Effect.logWarning(`The queue ${queue} cannot be read; the next try is in a second.`, exit.cause),
      Effect.sleep("1 second")
    )
