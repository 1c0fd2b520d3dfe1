/** Events on their way: from memory to the buffer file within milliseconds, and out of it once the brain has them. */
import { eventsOf, type FileLoss, type Row } from "./BufferFile.ts"
import { type BufferFolder, type Claimed, isDamage } from "./BufferFolder.ts"
import { InFlight, type Parcel } from "./InFlight.ts"
import type { Log } from "./Log.ts"
import { type BufferLimits, examine, fitting, MOST_PARCEL_BYTES, MOST_ROW_EVENTS, pack } from "./Packing.ts"
import { SnapshotLane } from "./SnapshotLane.ts"

/** Events wait so long in memory for others to be written with them. */
const FLUSH_MILLIS = 5
/** More are written at once. */
const MOST_PENDING = 1000
const MOST_PENDING_BYTES = 1_048_576
/** While the file takes nothing: the next attempt, and how much memory may hold. */
const RETRY_MILLIS = 1000
const MOST_HELD = 20_000
/** Rows of a dead process's file that are moved in one go. */
const ADOPTED_AT_ONCE = 8

const DAMAGED = "damaged"

const least = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? left ?? right : Math.min(left, right)

export class Outbox {
  /** Since the file was made; part of each heartbeat. */
  readonly loss: FileLoss
  lastFlushAt: number | null = null
  /** Called when there is something to send. */
  onRows: () => void = () => {}
  /** Called when a damaged file was replaced: what else was in it is gone. */
  onReplaced: () => void = () => {}
  /** What goes beside the events, each in a frame of its own. */
  readonly snapshots: SnapshotLane
  private pending: Array<string> = []
  private pendingBytes = 0
  private timer: NodeJS.Timeout | null = null
  private failing = false
  private closed = false
  private acked: Array<number> = []
  private readonly inFlight = new InFlight()
  /** Rows up to this one are in flight or gone. */
  private cursor = 0
  /** Rows up to this one are looked at before they are sent: another process wrote them, or a session ended with them. */
  private doubtful: number
  private lossSaved = true

  constructor(
    private claimed: Claimed,
    private readonly folder: BufferFolder,
    private readonly limits: BufferLimits,
    private readonly now: () => number,
    private readonly log: Log
  ) {
    this.snapshots = new SnapshotLane(log)
    this.loss = claimed.file.loss()
    this.doubtful = claimed.file.newest()
  }

  get file() {
    return this.claimed.file
  }

  get path(): string | null {
    return this.claimed.path
  }

  /** Events that the brain has not acknowledged. */
  get events(): number {
    return this.file.events + this.pending.length
  }

  get unwritten(): number {
    return this.pending.length
  }

  get bytes(): number {
    return this.file.bytes + this.pendingBytes
  }

  get isFull(): boolean {
    return this.inFlight.isFull
  }

  /** When the oldest parcel without an ack was sent. */
  get oldestSentAt(): number | null {
    return least(this.inFlight.oldestAt, this.snapshots.sentAt)
  }

  /** Takes an event's canonical text. */
  add(text: string): void {
    if (this.closed) return this.lose(1)
    this.pending.push(text)
    this.pendingBytes += text.length
    if (!this.failing && (this.pending.length >= MOST_PENDING || this.pendingBytes >= MOST_PENDING_BYTES)) this.flush()
    else if (this.timer === null) this.later(this.failing ? RETRY_MILLIS : FLUSH_MILLIS)
    if (this.failing && this.pending.length > MOST_HELD) {
      this.pendingBytes -= this.pending.shift()?.length ?? 0
      this.lose(1)
    }
  }

  /** Writes what is in memory, and what was acknowledged, in one transaction. */
  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    if (this.closed || (this.pending.length === 0 && this.acked.length === 0 && this.lossSaved)) return
    try {
      const before = { ...this.loss }
      try {
        this.file.transaction(() => this.write())
      } catch (error) {
        Object.assign(this.loss, before)
        throw error
      }
      this.pending = []
      this.pendingBytes = 0
      this.acked = []
      this.lossSaved = true
      this.lastFlushAt = this.now()
      if (this.failing) this.log("info", "events are buffered on disk again")
      this.failing = false
    } catch (error) {
      this.failed(error)
    }
    this.onRows()
  }

  /** The next frame's events, at most so many bytes; null when nothing waits or enough is under way. */
  next(maxBytes: number): Parcel | null {
    if (this.closed) return null
    const snapshot = this.snapshots.next(maxBytes, this.now())
    if (snapshot !== null) return snapshot
    if (this.isFull) return null
    try {
      const most = Math.min(MOST_PARCEL_BYTES, maxBytes)
      for (;;) {
        const rows = this.file.read(this.cursor, fitting(most))
        if (rows.length === 0) return this.failing ? this.fromMemory(most) : null
        const last = rows[rows.length - 1]!
        this.cursor = last.id
        const sound = rows.filter((row) => this.isSound(row, most))
        if (sound.length > 0) return this.inFlight.add(sound, [], this.now())
      }
    } catch (error) {
      this.failed(error)
      return null
    }
  }

  /** The brain has stored the parcel's events. */
  ack(id: string): boolean {
    if (this.snapshots.ack(id)) return true
    const parcel = this.inFlight.get(id)
    if (parcel === undefined) return false
    this.inFlight.remove(id)
    for (const row of parcel.rows) this.acked.push(row)
    if (this.timer === null) this.later(FLUSH_MILLIS)
    return true
  }

  /** The brain refuses this parcel, or one event of a parcel if no parcel has the id: it is given up, and counted. */
  giveUp(id: string): void {
    if (this.snapshots.giveUp(id)) return
    this.loss.rejectedFrames++
    this.loss.events += this.inFlight.get(id)?.events ?? 1
    this.lossSaved = false
    this.ack(id)
  }

  /**
   * The connection ended: all that was not acknowledged is to be sent again. It is looked at first, lest one bad event
   * that made the brain end the session ends each that follows.
   */
  rewind(): void {
    this.snapshots.rewind()
    const unsent = this.inFlight.clear()
    const sound = unsent.filter((text) => eventsOf(text).length === 1)
    this.dropped(unsent.length - sound.length, DAMAGED)
    this.pending.unshift(...sound)
    this.pendingBytes += sound.reduce((sum, text) => sum + text.length, 0)
    this.flush() // removes what was acknowledged, before all is read again from the start
    this.doubtful = Math.max(this.doubtful, this.cursor)
    this.cursor = 0
  }

  /** A file that a dead process left. What is safe on disk is not moved into a memory, which ends with this process. */
  nextLeft(): Claimed | null {
    return this.path === null ? null : this.folder.claimNext()
  }

  /** Takes over some of a dead process's events; true while there may be more. */
  adopt(other: Claimed): boolean {
    let taken = 0
    const rows = other.file.read(0, () => taken++ < ADOPTED_AT_ONCE)
    if (rows.length === 0) return false
    try {
      this.file.transaction(() => {
        for (const { body, bytes, events } of rows) this.file.add(events, bytes, body)
        this.makeRoom()
      })
    } catch (error) {
      if (isDamage(error)) this.failed(error)
      throw new Error("this process's own buffer did not take it", { cause: error }) // no damage of the other's
    }
    this.doubtful = this.file.newest()
    other.file.transaction(() => rows.forEach(({ id }) => other.file.delete(id)))
    this.onRows()
    return true
  }

  adoptLoss(loss: FileLoss): void {
    this.loss.evictedFrames += loss.evictedFrames
    this.loss.rejectedFrames += loss.rejectedFrames
    this.loss.events += loss.events
    this.lossSaved = false
  }

  /** Writes what is left, and gives the file back; it is deleted unless somebody needs it. */
  close(needed: boolean): void {
    if (this.closed) return
    this.flush()
    this.closed = true
    if (this.timer !== null) clearTimeout(this.timer)
    try {
      if (needed || this.file.events > 0) this.file.close()
      else this.folder.remove(this.claimed)
    } catch (error) {
      this.log("warning", `the buffer could not be closed: ${String(error)}`)
    }
  }

  private write(): void {
    for (const id of this.acked) this.file.delete(id)
    pack(this.pending, this.limits, (events, bytes, body) => this.file.add(events, bytes, body))
    this.makeRoom()
    for (const [name, value] of Object.entries(this.loss)) this.file.remember(name, String(value))
  }

  /** Drops the oldest rows while there are too many. */
  private makeRoom(): void {
    while (this.file.events > this.limits.maxEvents || this.file.bytes > this.limits.maxBytes) {
      const lost = this.file.deleteOldest()
      if (lost === 0) return
      this.loss.evictedFrames++
      this.loss.events += lost
    }
  }

  /** Whether the row can be sent as it is; what is too long for the brain is written again in pieces. */
  private isSound(row: Row, most: number): boolean {
    const unsound = examine(row, most, row.id > this.doubtful)
    if (unsound === null) return true
    const { damaged, tooLong, usable } = unsound
    this.file.transaction(() => {
      this.file.delete(row.id)
      for (const text of usable) this.file.add(1, Buffer.byteLength(text) + 1, text)
    })
    this.dropped(damaged, DAMAGED)
    this.dropped(tooLong, `longer than the brain takes (${most} bytes)`)
    return false
  }

  private dropped(events: number, why: string): void {
    if (events === 0) return
    this.loss.rejectedFrames++
    this.loss.events += events
    this.lossSaved = false
    this.log("warning", `${events} buffered events are ${why} and were dropped`)
  }

  private fromMemory(most: number): Parcel | null {
    const texts: Array<string> = []
    let bytes = 0
    while (this.pending.length > 0 && texts.length < MOST_ROW_EVENTS) {
      bytes += Buffer.byteLength(this.pending[0]!) + 1
      if (bytes > most && texts.length > 0) break
      const text = this.pending.shift()!
      this.pendingBytes -= text.length
      texts.push(text)
    }
    return texts.length === 0 ? null : this.inFlight.add([], texts, this.now())
  }

  private lose(events: number): void {
    this.loss.evictedFrames++
    this.loss.events += events
    this.lossSaved = false
  }

  private failed(error: unknown): void {
    if (isDamage(error)) {
      this.claimed = this.folder.replace(this.claimed)
      this.inFlight.clear()
      this.acked = []
      this.cursor = 0
      this.doubtful = this.file.newest()
      this.lossSaved = false
      this.onReplaced()
    } else if (!this.failing) {
      this.failing = true
      this.log("error", `events cannot be buffered on disk (${String(error)}); they are sent from memory, which keeps ${MOST_HELD}`)
    }
    if (this.timer === null) this.later(RETRY_MILLIS)
  }

  private later(millis: number): void {
    this.timer = setTimeout(() => this.flush(), millis)
    this.timer.unref()
  }
}
