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
 * The queue of unacknowledged snapshots of schedules, one event a frame, in order. Each frame waits for the ack of the
 * one before. They are kept in memory, because their epoch ends with the process.
 */
export class SnapshotQueue {
  private pending: ReadonlyArray<PendingFrame> = []
  /** The id under which the first frame was sent and is unacknowledged. */
  private inFlight: { readonly id: string; readonly at: number } | null = null

  constructor(private readonly log: Log) {}

  /** When the unacknowledged frame was sent. */
  get oldestSentAt(): number | null {
    return this.inFlight?.at ?? null
  }

  /** Unacknowledged snapshots. */
  get snapshots(): number {
    return new Set(this.pending.map(({ snapshot }) => snapshot)).size
  }

  /** Queued characters of this scheduler. */
  lengthOf(owner: string): number {
    return this.pending.reduce((sum, each) => each.owner === owner ? sum + each.text.length : sum, 0)
  }

  add(owner: string, snapshot: string, texts: ReadonlyArray<string>): void {
    this.pending = [...this.pending, ...texts.map((text) => ({ owner, snapshot, text }))]
  }

  /** The next frame to send, at most so many bytes; `now` is epoch milliseconds. */
  next(maxBytes: number, now: number): OutgoingBatch | null {
    if (this.inFlight !== null) return null
    for (;;) {
      const [first] = this.pending
      if (first === undefined) return null
      if (Buffer.byteLength(first.text) <= maxBytes) {
        this.inFlight = { id: `ev_${randomUUID().replaceAll("-", "")}`, at: now }
        return { id: this.inFlight.id, bodies: [first.text] }
      }
      this.drop(first, `a schedule of it is longer than the brain accepts (${maxBytes} bytes)`)
    }
  }

  ack(id: string): boolean {
    if (this.inFlight?.id !== id) return false
    this.inFlight = null
    this.pending = this.pending.slice(1)
    return true
  }

  /** The brain refused the frame with this id. */
  reject(id: string): boolean {
    const [first] = this.pending
    if (this.inFlight?.id !== id || first === undefined) return false
    this.drop(first, "the brain refused them")
    return true
  }

  /** The connection ended: the unacknowledged frame is sent again. */
  rewind(): void {
    this.inFlight = null
  }

  /** The brain has begun another epoch of this scheduler: frames of the one before are dropped. */
  discard(owner: string): void {
    if (this.pending[0]?.owner === owner) this.inFlight = null
    this.pending = this.pending.filter((each) => each.owner !== owner)
  }

  /** Drops all frames of a snapshot: without one of them it is invalid. */
  private drop({ owner, snapshot }: PendingFrame, why: string): void {
    this.inFlight = null
    this.pending = this.pending.filter((each) => each.snapshot !== snapshot)
    this.log("warning", `the schedules of ${owner} were not published: ${why}`)
  }
}
