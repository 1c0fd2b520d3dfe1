import { randomUUID } from "node:crypto"
import type { OutgoingBatch } from "./InFlight.ts"
import type { Log } from "./Log.ts"

interface PendingFrame {
  /** The scheduler's name. */
  readonly owner: string
  readonly snapshot: string
  /** The canonical text of the event. */
  readonly text: string
}

/**
 * Snapshots of schedules on their way, one event a frame, in order, and the next only once the brain has acknowledged
 * the one before it. They are kept in memory: the epoch that they belong to ends with the process.
 */
export class SnapshotQueue {
  private pending: ReadonlyArray<PendingFrame> = []
  /** The first that waits is under way under this id. */
  private inFlight: { readonly id: string; readonly at: number } | null = null

  constructor(private readonly log: Log) {}

  /** When the one that is under way was sent. */
  get oldestSentAt(): number | null {
    return this.inFlight?.at ?? null
  }

  /** Snapshots that the brain does not have. */
  get snapshots(): number {
    return new Set(this.pending.map(({ snapshot }) => snapshot)).size
  }

  /** Characters that wait of this scheduler. */
  lengthOf(owner: string): number {
    return this.pending.reduce((sum, each) => each.owner === owner ? sum + each.text.length : sum, 0)
  }

  add(owner: string, snapshot: string, texts: ReadonlyArray<string>): void {
    this.pending = [...this.pending, ...texts.map((text) => ({ owner, snapshot, text }))]
  }

  /** What is to be sent now, at most so many bytes; `now` is epoch milliseconds. */
  next(maxBytes: number, now: number): OutgoingBatch | null {
    if (this.inFlight !== null) return null
    for (;;) {
      const [first] = this.pending
      if (first === undefined) return null
      if (Buffer.byteLength(first.text) <= maxBytes) {
        this.inFlight = { id: `ev_${randomUUID().replaceAll("-", "")}`, at: now }
        return { id: this.inFlight.id, bodies: [first.text] }
      }
      this.drop(first, `a schedule of it is longer than the brain takes (${maxBytes} bytes)`)
    }
  }

  ack(id: string): boolean {
    if (this.inFlight?.id !== id) return false
    this.inFlight = null
    this.pending = this.pending.slice(1)
    return true
  }

  /** The brain will not take it. */
  reject(id: string): boolean {
    const [first] = this.pending
    if (this.inFlight?.id !== id || first === undefined) return false
    this.drop(first, "the brain refuses it")
    return true
  }

  /** The connection ended: what was under way is to be sent again. */
  rewind(): void {
    this.inFlight = null
  }

  /** The brain has begun another epoch of this scheduler: nobody waits for what is left of the one before. */
  discard(owner: string): void {
    if (this.pending[0]?.owner === owner) this.inFlight = null
    this.pending = this.pending.filter((each) => each.owner !== owner)
  }

  /** Without one of its frames a snapshot is none. */
  private drop({ owner, snapshot }: PendingFrame, why: string): void {
    this.inFlight = null
    this.pending = this.pending.filter((each) => each.snapshot !== snapshot)
    this.log("warning", `the schedules of ${owner} were not published: ${why}`)
  }
}
