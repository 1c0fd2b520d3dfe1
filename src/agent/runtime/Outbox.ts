/**
 * The queue of unacknowledged events: from memory to the buffer file within milliseconds, and out of it at their ack.
 */
import { type BufferRow, type LossCounters, parseEvents } from "./BufferFile.ts"
import { type BufferFolder, type ClaimedBuffer, isCorruption } from "./BufferFolder.ts"
import { InFlight, type OutgoingBatch } from "./InFlight.ts"
import type { Log } from "./Log.ts"
import { type BufferLimits, checkRow, makeFitCheck, MAX_BATCH_BYTES, MAX_ROW_EVENTS, packRows } from "./Packing.ts"
import { SnapshotQueue } from "./SnapshotQueue.ts"

/** Time that events wait in memory, so that more of them share one transaction. */
const FLUSH_DELAY_MILLIS = 5
/** More events are written without waiting. */
const MAX_PENDING = 1000
const MAX_PENDING_BYTES = 1_048_576
/** While the file cannot be written: the time to the next attempt, and the events kept in memory. */
const RETRY_DELAY_MILLIS = 1000
const MAX_MEMORY_EVENTS = 20_000
/** Rows of a dead process's file that are moved in one go. */
const ADOPTION_BATCH_ROWS = 8

const DAMAGED = "damaged"

const minDefined = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? left ?? right : Math.min(left, right)

export class Outbox {
  /** Counted since the file was created; part of each heartbeat. */
  readonly loss: LossCounters
  lastFlushAt: number | null = null
  /** Called when there are events to send. */
  onSendable: () => void = () => {}
  /** Called when a damaged file was replaced: its counters and commands are lost. */
  onFileReplaced: () => void = () => {}
  /** Snapshots of schedules, sent beside the events, each in its own frame. */
  readonly snapshots: SnapshotQueue
  private pending: Array<string> = []
  private pendingBytes = 0
  private timer: NodeJS.Timeout | null = null
  private isFailing = false
  private isClosed = false
  private ackedRowIds: Array<number> = []
  private readonly inFlight = new InFlight()
  /** Rows up to this one are in flight or gone. */
  private cursor = 0
  /**
   * Rows up to this one are checked before they are sent: another process wrote them, or a session ended while they
   * were sent.
   */
  private uncheckedUpTo: number
  private isLossSaved = true

  constructor(
    private buffer: ClaimedBuffer,
    private readonly folder: BufferFolder,
    private readonly limits: BufferLimits,
    private readonly now: () => number,
    private readonly log: Log
  ) {
    this.snapshots = new SnapshotQueue(log)
    this.loss = buffer.file.readLoss()
    this.uncheckedUpTo = buffer.file.newestId()
  }

  get file() {
    return this.buffer.file
  }

  get path(): string | null {
    return this.buffer.path
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
    return minDefined(this.inFlight.oldestSentAt, this.snapshots.oldestSentAt)
  }

  /** Adds an event's canonical text. */
  add(text: string): void {
    if (this.isClosed) return this.countEvicted(1)
    this.pending.push(text)
    this.pendingBytes += text.length
    if (!this.isFailing && (this.pending.length >= MAX_PENDING || this.pendingBytes >= MAX_PENDING_BYTES)) this.flush()
    else if (this.timer === null) this.scheduleFlush(this.isFailing ? RETRY_DELAY_MILLIS : FLUSH_DELAY_MILLIS)
    if (this.isFailing && this.pending.length > MAX_MEMORY_EVENTS) {
      this.pendingBytes -= this.pending.shift()?.length ?? 0
      this.countEvicted(1)
    }
  }

  /** Writes the events in memory, and deletes acknowledged rows, in one transaction. */
  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    if (this.isClosed || (this.pending.length === 0 && this.ackedRowIds.length === 0 && this.isLossSaved)) return
    try {
      const before = { ...this.loss }
      try {
        this.file.transaction(() => this.writePending())
      } catch (error) {
        Object.assign(this.loss, before)
        throw error
      }
      this.pending = []
      this.pendingBytes = 0
      this.ackedRowIds = []
      this.isLossSaved = true
      this.lastFlushAt = this.now()
      if (this.isFailing) this.log("info", "events are buffered on disk again")
      this.isFailing = false
    } catch (error) {
      this.handleFailure(error)
    }
    this.onSendable()
  }

  /**
   * The next frame's events, at most so many bytes; null when the queue is empty or enough frames are unacknowledged.
   */
  next(maxBytes: number): OutgoingBatch | null {
    if (this.isClosed) return null
    const snapshot = this.snapshots.next(maxBytes, this.now())
    if (snapshot !== null) return snapshot
    if (this.isFull) return null
    try {
      const limit = Math.min(MAX_BATCH_BYTES, maxBytes)
      for (;;) {
        const rows = this.file.readAfter(this.cursor, makeFitCheck(limit))
        if (rows.length === 0) return this.isFailing ? this.takeFromMemory(limit) : null
        const last = rows[rows.length - 1]!
        this.cursor = last.id
        const sendable = rows.filter((row) => this.isSendable(row, limit))
        if (sendable.length > 0) return this.inFlight.add(sendable, [], this.now())
      }
    } catch (error) {
      this.handleFailure(error)
      return null
    }
  }

  /** The brain has stored the parcel's events. */
  ack(id: string): boolean {
    if (this.snapshots.ack(id)) return true
    const parcel = this.inFlight.get(id)
    if (parcel === undefined) return false
    this.inFlight.remove(id)
    for (const row of parcel.rows) this.ackedRowIds.push(row)
    if (this.timer === null) this.scheduleFlush(FLUSH_DELAY_MILLIS)
    return true
  }

  /** The brain refused this parcel, or, where no parcel has the id, one event of a parcel: dropped and counted. */
  reject(id: string): void {
    if (this.snapshots.reject(id)) return
    this.loss.rejectedFrames++
    this.loss.events += this.inFlight.get(id)?.events ?? 1
    this.isLossSaved = false
    this.ack(id)
  }

  /**
   * The connection ended: all unacknowledged events are sent again. They are checked first, because one bad event that
   * made the brain end the session would end each later one.
   */
  rewind(): void {
    this.snapshots.rewind()
    const unsent = this.inFlight.clear()
    const intact = unsent.filter((text) => parseEvents(text).length === 1)
    this.countDropped(unsent.length - intact.length, DAMAGED)
    this.pending.unshift(...intact)
    this.pendingBytes += intact.reduce((sum, text) => sum + text.length, 0)
    this.flush() // deletes acknowledged rows before all rows are read again
    this.uncheckedUpTo = Math.max(this.uncheckedUpTo, this.cursor)
    this.cursor = 0
  }

  /**
   * Adds a dead process's file. Its rows are not moved while this process buffers in memory: there they would be less
   * safe.
   */
  claimAbandoned(): ClaimedBuffer | null {
    return this.path === null ? null : this.folder.claimAbandoned()
  }

  /** Moves some of a dead process's events; true while there may be more. */
  adopt(other: ClaimedBuffer): boolean {
    let count = 0
    const rows = other.file.readAfter(0, () => count++ < ADOPTION_BATCH_ROWS)
    if (rows.length === 0) return false
    try {
      this.file.transaction(() => {
        for (const { body, bytes, events } of rows) this.file.add(events, bytes, body)
        this.evictOldest()
      })
    } catch (error) {
      if (isCorruption(error)) this.handleFailure(error)
      throw new Error("this process's own buffer did not take it", { cause: error }) // the other file is not damaged
    }
    this.uncheckedUpTo = this.file.newestId()
    other.file.transaction(() => rows.forEach(({ id }) => other.file.delete(id)))
    this.onSendable()
    return true
  }

  adoptLoss(loss: LossCounters): void {
    this.loss.evictedFrames += loss.evictedFrames
    this.loss.rejectedFrames += loss.rejectedFrames
    this.loss.events += loss.events
    this.isLossSaved = false
  }

  /** Writes the remaining events and releases the file; deletes it unless a later process needs it. */
  close(needed: boolean): void {
    if (this.isClosed) return
    this.flush()
    this.isClosed = true
    if (this.timer !== null) clearTimeout(this.timer)
    try {
      if (needed || this.file.events > 0) this.file.close()
      else this.folder.remove(this.buffer)
    } catch (error) {
      this.log("warning", `the buffer could not be closed: ${String(error)}`)
    }
  }

  private writePending(): void {
    for (const id of this.ackedRowIds) this.file.delete(id)
    packRows(this.pending, this.limits, (events, bytes, body) => this.file.add(events, bytes, body))
    this.evictOldest()
    for (const [name, value] of Object.entries(this.loss)) this.file.saveMeta(name, String(value))
  }

  /** Drops the oldest rows beyond the capacity. */
  private evictOldest(): void {
    while (this.file.events > this.limits.maxEvents || this.file.bytes > this.limits.maxBytes) {
      const lost = this.file.deleteOldest()
      if (lost === 0) return
      this.loss.evictedFrames++
      this.loss.events += lost
    }
  }

  /** Whether the row can be sent as it is. One that is too long for the brain is written again in pieces. */
  private isSendable(row: BufferRow, maxBytes: number): boolean {
    const defects = checkRow(row, maxBytes, row.id > this.uncheckedUpTo)
    if (defects === null) return true
    const { damaged, tooLong, usable } = defects
    this.file.transaction(() => {
      this.file.delete(row.id)
      for (const text of usable) this.file.add(1, Buffer.byteLength(text) + 1, text)
    })
    this.countDropped(damaged, DAMAGED)
    this.countDropped(tooLong, `longer than the brain accepts (${maxBytes} bytes)`)
    return false
  }

  private countDropped(events: number, why: string): void {
    if (events === 0) return
    this.loss.rejectedFrames++
    this.loss.events += events
    this.isLossSaved = false
    this.log("warning", `${events} buffered events are ${why} and were dropped`)
  }

  private takeFromMemory(maxBytes: number): OutgoingBatch | null {
    const texts: Array<string> = []
    let bytes = 0
    while (this.pending.length > 0 && texts.length < MAX_ROW_EVENTS) {
      bytes += Buffer.byteLength(this.pending[0]!) + 1
      if (bytes > maxBytes && texts.length > 0) break
      const text = this.pending.shift()!
      this.pendingBytes -= text.length
      texts.push(text)
    }
    return texts.length === 0 ? null : this.inFlight.add([], texts, this.now())
  }

  private countEvicted(events: number): void {
    this.loss.evictedFrames++
    this.loss.events += events
    this.isLossSaved = false
  }

  private handleFailure(error: unknown): void {
    if (isCorruption(error)) {
      this.buffer = this.folder.replace(this.buffer)
      this.inFlight.clear()
      this.ackedRowIds = []
      this.cursor = 0
      this.uncheckedUpTo = this.file.newestId()
      this.isLossSaved = false
      this.onFileReplaced()
    } else if (!this.isFailing) {
      this.isFailing = true
      this.log(
        "error",
        `events cannot be buffered on disk (${
          String(error)
        }); they are sent from memory, which holds ${MAX_MEMORY_EVENTS}. Free space on the disk of SVC_AGENT_HOME`
      )
    }
    if (this.timer === null) this.scheduleFlush(RETRY_DELAY_MILLIS)
  }

  private scheduleFlush(millis: number): void {
    this.timer = setTimeout(() => this.flush(), millis)
    this.timer.unref()
  }
}
