const HALF_WINDOW_MILLIS = 300_000

/** A smaller offset changes no time: it is within what a frame takes to arrive. */
const LEAST_OFFSET_MILLIS = 200

/** A clock that seems late is believed after this time, because slow frames look the same. */
const LATE_AFTER_MILLIS = 30_000

/** An offset stays as it is while measurements differ from it by less: events of one moment keep one time. */
const STEADY_MILLIS = 100

/**
 * How far the clock of a session's sender is behind the receiver's. Each frame has the time when it was sent. A frame is
 * never early, so of the last 5 to 10 minutes the one that arrived fastest is nearest to the truth, and a busy connection
 * changes nothing. A clock that steps ahead is noticed with the next frame; one that steps back when the frames from
 * before the step have left the window.
 */
export class ClockOffset {
  private begunAt: number | null = null
  private halfBegunAt = 0
  private previous = Infinity
  private current = Infinity
  private applied = 0

  /** Both are epoch milliseconds. */
  observe(sentAt: number, now: number): void {
    this.begunAt ??= now
    if (now - this.halfBegunAt >= HALF_WINDOW_MILLIS) {
      this.previous = now - this.halfBegunAt >= 2 * HALF_WINDOW_MILLIS ? Infinity : this.current
      this.current = Infinity
      this.halfBegunAt = now
    }
    this.current = Math.min(this.current, now - sentAt)
    const measured = Math.min(this.current, this.previous)
    const isBelieved = measured <= -LEAST_OFFSET_MILLIS ||
      (measured >= LEAST_OFFSET_MILLIS && now - this.begunAt >= LATE_AFTER_MILLIS)
    const offset = isBelieved ? measured : 0
    if (offset === 0 || Math.abs(offset - this.applied) >= STEADY_MILLIS) this.applied = offset
  }

  /** Milliseconds to add to the sender's times; 0: they are taken as they are. */
  get millis(): number {
    return this.applied
  }
}
