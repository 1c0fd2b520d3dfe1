import { Effect } from "effect"
import type { AgentEvent, EventData, EventKind } from "../../domain/TaskEvent.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import type { EventBatch } from "../Ingest.ts"

/** A batch of which not all events have met their end. It does not hold the events: they are let go one by one. */
interface Ticket {
  readonly settle: EventBatch["settle"]
  readonly events: number
  readonly size: number
  open: number
  rejected: number
}

/** One event on its way through the writer. A class, and one object an event: thousands a second pass. */
export class Pending {
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

  constructor(event: AgentEvent, { agentId, projectId, reporter }: EventBatch, readonly ticket: Ticket) {
    this.id = event.id
    this.kind = event.kind
    this.engine = event.engine
    this.taskId = event.taskId
    this.occurredAt = event.occurredAt
    this.projectId = projectId
    this.agentId = agentId
    this.reporter = reporter
    this.size = ticket.size / ticket.events
    this.data = event.data
  }
}

/** One line of waiting events, with one writer at its end. */
class Lane {
  private waiting: Array<Pending> = []
  private wake: (() => void) | null = null

  add(event: Pending): void {
    this.waiting.push(event)
  }

  /** Lets the writer see what was added. */
  stir(): void {
    if (this.waiting.length > 0) this.wake?.()
  }

  /** Waits until there is something to take, and then for what else the sockets have at hand. */
  readonly ready: Effect.Effect<void> = Effect.async<void>((resume) => {
    const onNextTurn = () => {
      this.wake = null
      setImmediate(() => resume(Effect.void))
    }
    if (this.waiting.length > 0) return onNextTurn()
    this.wake = onNextTurn
    return Effect.sync(() => {
      this.wake = null
    })
  })

  /** The next events, oldest first: at most `most`, and not more text than a transaction should carry. */
  take(most: number): ReadonlyArray<Pending> {
    const taken = this.waiting
    let count = 0
    for (let size = 0; count < taken.length && count < most && size < TEXT_AT_ONCE; count++) size += taken[count]!.size
    this.waiting = taken.splice(count)
    return taken
  }
}

/** Characters of one transaction, and of all that waits. Usual events have a few hundred, so that their number counts. */
const TEXT_AT_ONCE = 1024 * 1024
const TEXT_WAITING = 16 * 1024 * 1024

/**
 * What waits for the writers: bounded, in plain code. All events of a task are in one lane, so that writers do not get
 * into each other's way; a batch is settled with the last of its events.
 */
export class Backlog {
  readonly lanes: ReadonlyArray<Lane>
  /** Events that were offered and are not settled. */
  private open = 0
  /** Characters of the batches that are not settled. */
  private text = 0
  private closed = false
  private refusedSome = false
  private readonly listeners = new Set<() => void>()
  private onDrained: (() => void) | null = null

  constructor(lanes: number, private readonly limit: number, private readonly onThrow: (error: unknown) => void) {
    this.lanes = Array.from({ length: lanes }, () => new Lane())
  }

  /** Whether the batch was taken. One that is larger than the whole queue still goes in when there is room at all. */
  offer(batch: EventBatch): boolean {
    if (this.closed || this.open >= this.limit || this.text >= TEXT_WAITING) {
      this.refusedSome = true
      return false
    }
    const { length } = batch.events
    const ticket = { settle: batch.settle, events: length, size: batch.size, open: length, rejected: 0 }
    if (ticket.open === 0) {
      this.settle(ticket)
      return true
    }
    this.open += ticket.open
    this.text += ticket.size
    for (const event of batch.events) this.laneOf(event.taskId).add(new Pending(event, batch, ticket))
    for (const lane of this.lanes) lane.stir()
    return true
  }

  private laneOf(taskId: string): Lane {
    if (this.lanes.length === 1) return this.lanes[0]!
    let hash = 0
    // ids differ at their ends: hexadecimal digits or a counter
    for (let at = Math.max(0, taskId.length - 4); at < taskId.length; at++) hash = hash * 31 + taskId.charCodeAt(at)
    return this.lanes[hash % this.lanes.length]!
  }

  onRoom(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  get size(): number {
    return this.open
  }

  /** Refuses what comes from now on. */
  close(): void {
    this.closed = true
  }

  /** Waits until everything is settled. */
  readonly drained: Effect.Effect<void> = Effect.async<void>((resume) => {
    if (this.open === 0) return resume(Effect.void)
    this.onDrained = () => resume(Effect.void)
  })

  /** These events were committed, or refused for good. */
  done(events: ReadonlyArray<Pending>): void {
    for (const { refusal, ticket } of events) {
      if (refusal !== null) ticket.rejected++
      if (--ticket.open > 0) continue
      this.text -= ticket.size
      this.settle(ticket)
    }
    this.open -= events.length
    if (this.open === 0) this.onDrained?.()
    if (!this.refusedSome || this.closed || this.open > this.limit / 2 || this.text > TEXT_WAITING / 2) return
    this.refusedSome = false
    for (const listener of this.listeners) this.guarded(listener)
  }

  private settle({ events, rejected, settle }: Ticket): void {
    this.guarded(() => settle({ accepted: events - rejected, rejected }))
  }

  /** Others' code must not stop the writer. */
  private guarded(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.onThrow(error)
    }
  }
}
