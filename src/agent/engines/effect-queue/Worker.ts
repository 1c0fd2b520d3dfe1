import { Deferred, Effect, ExecutionStrategy, Exit, FiberId, RateLimiter, Scope } from "effect"

/** A task that a worker runs. */
interface Running {
  readonly cancelled: Deferred.Deferred<void>
}

interface RateLimit {
  readonly wait: Effect.Effect<void>
  /** Releases waiting tasks. */
  readonly lift: Effect.Effect<void>
}

export type Interval = "1 second" | "1 minute" | "1 hour"

/** One `run` of a queue: how many tasks at once, whether it takes new ones, and how fast it begins them. */
export class Worker {
  readonly running = new Map<string, Running>()
  /** Open while the worker may take another task. */
  readonly gate = Effect.unsafeMakeLatch(true)
  private paused = false
  private isQueuePaused = false
  private readonly limits = new Map<string, RateLimit>()

  /** `scope` is that of the run: the limits end with it. */
  constructor(readonly name: string, private slots: number, private readonly scope: Scope.Scope) {}

  get concurrency(): number {
    return this.slots
  }

  get isConsuming(): boolean {
    return !this.paused
  }

  get isOpen(): boolean {
    return !this.paused && !this.isQueuePaused && this.running.size < this.slots
  }

  /** Running tasks continue. */
  resize(slots: number): void {
    this.slots = slots
    this.updateGate()
  }

  setConsuming(enabled: boolean): void {
    this.paused = !enabled
    this.updateGate()
  }

  /** Like `setConsuming`, for all workers of the queue. */
  setQueuePaused(isPaused: boolean): void {
    this.isQueuePaused = isPaused
    this.updateGate()
  }

  /** Takes a slot for the task until `leave`; returns the deferred that a cancellation completes. */
  enter(id: string): Deferred.Deferred<void> {
    const cancelled = Deferred.unsafeMake<void>(FiberId.none)
    this.running.set(id, { cancelled })
    this.updateGate()
    return cancelled
  }

  leave(id: string): void {
    this.running.delete(id)
    this.updateGate()
  }

  /** False when the task does not run here. */
  cancel(id: string): Effect.Effect<boolean> {
    const task = this.running.get(id)
    return task === undefined ? Effect.succeed(false) : Effect.as(Deferred.succeed(task.cancelled, void 0), true)
  }

  /** Waits until the limit of the name admits a task. */
  awaitRateLimit(taskName: string): Effect.Effect<void> {
    return Effect.suspend(() => this.limits.get(taskName)?.wait ?? Effect.void)
  }

  /** 0 removes the limit. Tasks that wait for the old limit begin at once. */
  setRateLimit(taskName: string, limit: number, interval: Interval): Effect.Effect<void> {
    return Effect.gen(this, function*() {
      const old = this.limits.get(taskName)
      if (limit === 0) this.limits.delete(taskName)
      else this.limits.set(taskName, yield* this.makeLimit(limit, interval))
      if (old !== undefined) yield* old.lift
    })
  }

  private makeLimit(limit: number, interval: Interval): Effect.Effect<RateLimit> {
    return Effect.gen(this, function*() {
      const scope = yield* Scope.fork(this.scope, ExecutionStrategy.sequential)
      const limiter = yield* Scope.extend(RateLimiter.make({ limit, interval }), scope)
      const lifted = yield* Deferred.make<void>()
      return {
        wait: Effect.raceFirst(limiter(Effect.void), Deferred.await(lifted)),
        lift: Effect.zipRight(Deferred.succeed(lifted, void 0), Scope.close(scope, Exit.void))
      }
    })
  }

  private updateGate(): void {
    if (this.isOpen) this.gate.unsafeOpen()
    else this.gate.unsafeClose()
  }
}
