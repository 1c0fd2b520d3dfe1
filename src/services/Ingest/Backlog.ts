import { Effect } from "effect"
import type { AgentEvent, EventData, EventKind } from "../../domain/TaskEvent.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import type { EventBatch } from "./Model.ts"

/** A batch of which not all events have met their end. It does not hold the events: they are let go one by one. */
interface BatchProgress {
  readonly onCommit: EventBatch["onCommit"]
  readonly events: number
  readonly size: number
  remaining: number
  rejected: number
}

/** One event on its way through the writer. A class, and one object an event: thousands a second pass. */
export class PendingEvent {
  readonly id: string
  readonly kind: EventKind
  readonly engine: string
  readonly taskId: string
  readonly occurredAt: Timestamp
  readonly projectId: string
  readonly agentId: string
  readonly reporter: string
  /** Characters, as the average of its batch. */
  readonly size: number
  /** Masked by the writer before it is used. */
  data: EventData
  /** Why it cannot be stored, once that is known. */
  refusal: string | null = null
  /** What it tells of names, as JSON text. */
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

/** One line of waiting events, with one writer at its end. */
class Lane {
  private queue: Array<PendingEvent> = []
  private wake: (() => void) | null = null

  add(event: PendingEvent): void {
    this.queue.push(event)
  }

  /** Lets the writer see what was added. */
  wakeWriter(): void {
    if (this.queue.length > 0) this.wake?.()
  }

  /** Waits until there is something to take, and then for what else the sockets have at hand. */
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

  /** The next events, oldest first: at most `most`, and not more text than a transaction should carry. */
  take(most: number): ReadonlyArray<PendingEvent> {
    const taken = this.queue
    let count = 0
    for (let size = 0; count < taken.length && count < most && size < MAX_TRANSACTION_CHARACTERS; count++) size += taken[count]!.size
    this.queue = taken.splice(count)
    return taken
  }
}

/** Characters of one transaction, and of all that waits. Usual events have a few hundred, so that their number counts. */
const MAX_TRANSACTION_CHARACTERS = 1024 * 1024
const MAX_BACKLOG_CHARACTERS = 16 * 1024 * 1024

/**
 * What waits for the writers: bounded, in plain code. All events of a task are in one lane, so that writers do not get
 * into each other's way; a batch is settled with the last of its events.
 */
export class Backlog {
  readonly lanes: ReadonlyArray<Lane>
  /** Events that were offered and are not settled. */
  private pendingCount = 0
  /** Characters of the batches that are not settled. */
  private pendingCharacters = 0
  private isClosed = false
  private hasRefused = false
  private readonly capacityListeners = new Set<() => void>()
  private onDrained: (() => void) | null = null

  constructor(lanes: number, private readonly limit: number, private readonly onThrow: (error: unknown) => void) {
    this.lanes = Array.from({ length: lanes }, () => new Lane())
  }

  /** Whether the batch was taken. One that is larger than the whole queue still goes in when there is room at all. */
  offer(batch: EventBatch): boolean {
    if (this.isClosed || this.pendingCount >= this.limit || this.pendingCharacters >= MAX_BACKLOG_CHARACTERS) {
      this.hasRefused = true
      return false
    }
    const { length } = batch.events
    const ticket = { onCommit: batch.onCommit, events: length, size: batch.size, remaining: length, rejected: 0 }
    if (ticket.remaining === 0) {
      this.settle(ticket)
      return true
    }
    this.pendingCount += ticket.remaining
    this.pendingCharacters += ticket.size
    for (const event of batch.events) this.laneOf(event.taskId).add(new PendingEvent(event, batch, ticket))
    for (const lane of this.lanes) lane.wakeWriter()
    return true
  }

  private laneOf(taskId: string): Lane {
    if (this.lanes.length === 1) return this.lanes[0]!
    let hash = 0
    // ids differ at their ends: hexadecimal digits or a counter
    for (let at = Math.max(0, taskId.length - 4); at < taskId.length; at++) hash = hash * 31 + taskId.charCodeAt(at)
    return this.lanes[hash % this.lanes.length]!
  }

  onCapacity(listener: () => void): () => void {
    this.capacityListeners.add(listener)
    return () => this.capacityListeners.delete(listener)
  }

  get size(): number {
    return this.pendingCount
  }

  /** Refuses what comes from now on. */
  close(): void {
    this.isClosed = true
  }

  /** Waits until everything is settled. */
  readonly awaitEmpty: Effect.Effect<void> = Effect.async<void>((resume) => {
    if (this.pendingCount === 0) return resume(Effect.void)
    this.onDrained = () => resume(Effect.void)
  })

  /** These events were committed, or refused for good. */
  complete(events: ReadonlyArray<PendingEvent>): void {
    for (const { refusal, progress } of events) {
      if (refusal !== null) progress.rejected++
      if (--progress.remaining > 0) continue
      this.pendingCharacters -= progress.size
      this.settle(progress)
    }
    this.pendingCount -= events.length
    if (this.pendingCount === 0) this.onDrained?.()
    if (!this.hasRefused || this.isClosed || this.pendingCount > this.limit / 2 || this.pendingCharacters > MAX_BACKLOG_CHARACTERS / 2) return
    this.hasRefused = false
    for (const listener of this.capacityListeners) this.runSafely(listener)
  }

  private settle({ events, rejected, onCommit }: BatchProgress): void {
    this.runSafely(() => onCommit({ accepted: events - rejected, rejected }))
  }

  /** Others' code must not stop the writer. */
  private runSafely(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.onThrow(error)
    }
  }
}
