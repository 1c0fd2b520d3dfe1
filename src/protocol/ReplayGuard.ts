import { ClockOffset } from "./ClockOffset.ts"

/** How far a frame's `ts` may lie from the receiver's clock, either way (agents' protocol, section 3.3). */
const MAX_SKEW_MILLIS = 60_000
const NONCE_MEMORY_MILLIS = 180_000
const MAX_NONCES = 4096

/** Why a correctly signed frame is refused: its time, its seq, or its nonce. */
export type ReplayRefusal = "stale" | "old_seq" | "replayed_nonce"

/**
 * Replay protection of one session in one direction (agents' protocol, section 3.3): the last seq, and the nonces of
 * the last 180 seconds, at most 4096. The times of the accepted frames also tell how far the sender's clock is off.
 */
export class ReplayGuard {
  readonly clockOffset = new ClockOffset()
  private lastSeq = 0
  private readonly nonces = new Set<string>()
  /**
   * The nonces in order of arrival, from `oldest` on. Earlier entries have expired, and are removed from time to time.
   */
  private arrivals: Array<{ readonly nonce: string; readonly at: number }> = []
  private oldest = 0

  /**
   * Checks a frame whose signature holds, and remembers it if nothing speaks against it. `sentAt` and `now` are epoch
   * milliseconds. `nonce` is kept: it must not share memory with the frame's text.
   */
  accept(seq: number, nonce: string, sentAt: number, now: number): ReplayRefusal | undefined {
    if (Math.abs(now - sentAt) > MAX_SKEW_MILLIS) return "stale"
    if (seq <= this.lastSeq) return "old_seq"
    this.evictExpired(now)
    if (this.nonces.has(nonce)) return "replayed_nonce"
    this.lastSeq = seq
    this.nonces.add(nonce)
    this.arrivals.push({ nonce, at: now })
    if (this.nonces.size > MAX_NONCES) this.evictOldest()
    this.clockOffset.observe(sentAt, now)
    return undefined
  }

  private evictExpired(now: number): void {
    while (this.nonces.size > 0 && this.arrivals[this.oldest]!.at + NONCE_MEMORY_MILLIS <= now) this.evictOldest()
    if (this.oldest > this.nonces.size) {
      this.arrivals = this.arrivals.slice(this.oldest)
      this.oldest = 0
    }
  }

  private evictOldest(): void {
    this.nonces.delete(this.arrivals[this.oldest]!.nonce)
    this.oldest++
  }
}
