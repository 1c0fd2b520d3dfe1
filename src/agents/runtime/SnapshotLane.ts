import { randomUUID } from "node:crypto"
import type { Parcel } from "./InFlight.ts"
import type { Log } from "./Log.ts"

interface Waiting {
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
export class SnapshotLane {
  private waiting: ReadonlyArray<Waiting> = []
  /** The first that waits is under way under this id. */
  private sent: { readonly id: string; readonly at: number } | null = null

  constructor(private readonly log: Log) {}

  /** When the one that is under way was sent. */
  get sentAt(): number | null {
    return this.sent?.at ?? null
  }

  /** Snapshots that the brain does not have. */
  get snapshots(): number {
    return new Set(this.waiting.map(({ snapshot }) => snapshot)).size
  }

  /** Characters that wait of this scheduler. */
  lengthOf(owner: string): number {
    return this.waiting.reduce((sum, each) => each.owner === owner ? sum + each.text.length : sum, 0)
  }

  add(owner: string, snapshot: string, texts: ReadonlyArray<string>): void {
    this.waiting = [...this.waiting, ...texts.map((text) => ({ owner, snapshot, text }))]
  }

  /** What is to be sent now, at most so many bytes; `now` is epoch milliseconds. */
  next(mostBytes: number, now: number): Parcel | null {
    if (this.sent !== null) return null
    for (;;) {
      const [first] = this.waiting
      if (first === undefined) return null
      if (Buffer.byteLength(first.text) <= mostBytes) {
        this.sent = { id: `ev_${randomUUID().replaceAll("-", "")}`, at: now }
        return { id: this.sent.id, bodies: [first.text] }
      }
      this.drop(first, `a schedule of it is longer than the brain takes (${mostBytes} bytes)`)
    }
  }

  ack(id: string): boolean {
    if (this.sent?.id !== id) return false
    this.sent = null
    this.waiting = this.waiting.slice(1)
    return true
  }

  /** The brain will not take it. */
  giveUp(id: string): boolean {
    const [first] = this.waiting
    if (this.sent?.id !== id || first === undefined) return false
    this.drop(first, "the brain refuses it")
    return true
  }

  /** The connection ended: what was under way is to be sent again. */
  rewind(): void {
    this.sent = null
  }

  /** The brain has begun another epoch of this scheduler: nobody waits for what is left of the one before. */
  forget(owner: string): void {
    if (this.waiting[0]?.owner === owner) this.sent = null
    this.waiting = this.waiting.filter((each) => each.owner !== owner)
  }

  /** Without one of its frames a snapshot is none. */
  private drop({ owner, snapshot }: Waiting, why: string): void {
    this.sent = null
    this.waiting = this.waiting.filter((each) => each.snapshot !== snapshot)
    this.log("warning", `the schedules of ${owner} were not published: ${why}`)
  }
}
