import { Effect } from "effect"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import type { AgentEvent, EventData, EventKind } from "../../../domain/kernel/TaskEvent.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { EventBatch } from "./Model.ts"

/** A batch with unfinished events. It has no references to the events, so that each is freed by itself. */
interface BatchProgress {
  readonly onCommit: EventBatch["onCommit"]
  readonly events: number
  readonly size: number
  remaining: number
  rejected: number
}

/** One queued event. A class with one object per event, since thousands pass per second. */
export class PendingEvent {
  readonly id: string
  readonly kind: EventKind
  readonly engine: string
  readonly taskId: string
  readonly occurredAt: Timestamp
  readonly projectId: ProjectId
  readonly agentId: AgentId
  readonly reporter: string
  /** Characters, as the average of its batch. */
  readonly size: number
  /** The writer masks it before its use. */
  data: EventData
  /** Why the event cannot be stored; null if it can, or while that is unknown. */
  refusal: string | null = null
  /** Names in the event, as JSON text. */
  name: string | null = null
  queue: string | null = null
  worker: string | null = null

  constructor(event: AgentEvent, { agentId, projectId, reporter }: EventBatch, readonly progress: BatchProgress) {
    this.id = event.id
    this.kind = event.kind
    this.engine = event.engine
    this.taskId = event.taskId
    this.occurredAt = event.occurredAt
    this.projectId = projectId
    this.agentId = agentId
    this.reporter = reporter
    this.size = progress.size / progress.events
    this.data = event.data
  }
}

/** One queue of events with one writer. */
class Partition {
  private queue: Array<PendingEvent> = []
  private wake: (() => void) | null = null

  add(event: PendingEvent): void {
    this.queue.push(event)
  }

  /** Wakes the writer if events are queued. */
  wakeWriter(): void {
    if (this.queue.length > 0) this.wake?.()
  }

  /** Waits for an event, and then one turn of the event loop, so that the sockets can add what they have read. */
  readonly ready: Effect.Effect<void> = Effect.async<void>((resume) => {
    const onNextTurn = () => {
      this.wake = null
      setImmediate(() => resume(Effect.void))
    }
    if (this.queue.length > 0) return onNextTurn()
    this.wake = onNextTurn
    return Effect.sync(() => {
      this.wake = null
    })
  })

  /** The next events, oldest first: at most `most`, within the characters of one transaction. */
  take(most: number): ReadonlyArray<PendingEvent> {
    const taken = this.queue
    let count = 0
    for (let size = 0; count < taken.length && count < most && size < MAX_TRANSACTION_CHARACTERS; count++) {
      size += taken[count]!.size
    }
    this.queue = taken.splice(count)
    return taken
  }
}

/**
 * Characters per transaction, and of the whole queue. Usual events have a few hundred, so usually their number is the
 * limit.
 */
const MAX_TRANSACTION_CHARACTERS = 1024 * 1024
const MAX_BACKLOG_CHARACTERS = 16 * 1024 * 1024

/**
 * The bounded queue of the writers, in plain code. All events of a task are in one partition, so that two writers never
 * write the same task. A batch is complete with the last of its events.
 */
export class Backlog {
  readonly partitions: ReadonlyArray<Partition>
  /** Events that are queued and not complete. */
  private pendingCount = 0
  /** Characters of the batches that are not complete. */
  private pendingCharacters = 0
  private isClosed = false
  private hasRefused = false
  private readonly capacityListeners = new Set<() => void>()
  private onDrained: (() => void) | null = null

  constructor(partitions: number, private readonly limit: number, private readonly onThrow: (error: unknown) => void) {
    this.partitions = Array.from({ length: partitions }, () => new Partition())
  }

  /** Whether the batch was queued. A batch larger than the whole queue is accepted while the queue is not full. */
  offer(batch: EventBatch): boolean {
    if (this.isClosed || this.pendingCount >= this.limit || this.pendingCharacters >= MAX_BACKLOG_CHARACTERS) {
      this.hasRefused = true
      return false
    }
    const { length } = batch.events
    const progress = { onCommit: batch.onCommit, events: length, size: batch.size, remaining: length, rejected: 0 }
    if (progress.remaining === 0) {
      this.finishBatch(progress)
      return true
    }
    this.pendingCount += progress.remaining
    this.pendingCharacters += progress.size
    for (const event of batch.events) this.partitionOf(event.taskId).add(new PendingEvent(event, batch, progress))
    for (const partition of this.partitions) partition.wakeWriter()
    return true
  }

  private partitionOf(taskId: string): Partition {
    if (this.partitions.length === 1) return this.partitions[0]!
    let hash = 0
    // ids differ at their ends: hexadecimal digits or a counter
    for (let index = Math.max(0, taskId.length - 4); index < taskId.length; index++) {
      hash = hash * 31 + taskId.charCodeAt(index)
    }
    return this.partitions[hash % this.partitions.length]!
  }

  onCapacity(listener: () => void): () => void {
    this.capacityListeners.add(listener)
    return () => this.capacityListeners.delete(listener)
  }

  get size(): number {
    return this.pendingCount
  }

  /** Refuses all further batches. */
  close(): void {
    this.isClosed = true
  }

  /** Waits until every event is complete. */
  readonly awaitEmpty: Effect.Effect<void> = Effect.async<void>((resume) => {
    if (this.pendingCount === 0) return resume(Effect.void)
    this.onDrained = () => resume(Effect.void)
  })

  /** Completes events that were committed, or rejected for good. */
  complete(events: ReadonlyArray<PendingEvent>): void {
    for (const { refusal, progress } of events) {
      if (refusal !== null) progress.rejected++
      if (--progress.remaining > 0) continue
      this.pendingCharacters -= progress.size
      this.finishBatch(progress)
    }
    this.pendingCount -= events.length
    if (this.pendingCount === 0) this.onDrained?.()
    if (
      !this.hasRefused || this.isClosed || this.pendingCount > this.limit / 2 ||
      this.pendingCharacters > MAX_BACKLOG_CHARACTERS / 2
    ) return
    this.hasRefused = false
    for (const listener of this.capacityListeners) this.runSafely(listener)
  }

  private finishBatch({ events, rejected, onCommit }: BatchProgress): void {
    this.runSafely(() => onCommit({ accepted: events - rejected, rejected }))
  }

  /** A callback that throws must not stop the writer. */
  private runSafely(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.onThrow(error)
    }
  }
}
