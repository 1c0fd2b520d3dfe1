/**
 * The ticks of a cron expression in a time zone, from one to the next. The search goes from segment to segment of constant offset, and a
 * `TransitionRule` says what happens where one segment ends and the next one begins.
 */
import { secondsPerDay } from "../../kernel/Timestamp.ts"
import type { Segment, Zone } from "../../kernel/Zone.ts"
import type { WallTimes } from "./WallTimes.ts"

/** What becomes of wall times that a change of the offset leaves out, or brings twice. */
export interface TransitionRule {
  /** Left out for at most this many seconds: one tick at the first instant after the gap. Longer gaps: none. */
  readonly longestMovedGap: number
  /** Whether a wall time that comes twice ticks both times, else at the first. */
  readonly ticksTwice: boolean
}

/** Ticks at fixed wall times, as Debian's cron has them: once each day. */
export const fixedTimes: TransitionRule = { longestMovedGap: 3 * 3600, ticksTwice: false }

/** Ticks that follow the elapsed time: whatever the clock shows. */
export const elapsedTime: TransitionRule = { longestMovedGap: 0, ticksTwice: true }

/** Whether a tick was moved by a gap, or its local time comes twice. */
export type Dst = "gap" | "overlap" | null

/** The ticks of a cadence, in seconds since 1970. */
export interface Ticks {
  readonly next: (after: number) => number | null
  readonly previous: (before: number) => number | null
  readonly explain: (tick: number) => Dst
}

/** Two offsets of a zone differ by at most 26 hours, so local times further apart come in the order of their instants. */
const SAFE_DISTANCE = 2 * secondsPerDay

export const makeTicks = (times: WallTimes, zone: Zone, rule: TransitionRule): Ticks => {
  const isMovedGap = ({ offset, offsetBefore }: Segment): boolean =>
    offset > offsetBefore && offset - offsetBefore <= rule.longestMovedGap

  /** The first wall time of a segment that ticks there: repeated ones have ticked before. */
  const firstWall = ({ offset, offsetBefore, start }: Segment): number =>
    start + (rule.ticksTwice ? offset : Math.max(offset, offsetBefore))

  const hasTickInGap = ({ offset, offsetBefore, start }: Segment): boolean => {
    const wall = times.firstFrom(start + offsetBefore)
    return wall !== null && wall < start + offset
  }

  const next = (after: number): number | null => {
    let from = after + 1
    for (;;) {
      const segment = zone.segmentAt(from)
      if (from === segment.start && isMovedGap(segment) && hasTickInGap(segment)) return from
      const wall = times.firstFrom(Math.max(from + segment.offset, firstWall(segment)))
      if (wall === null) return null
      if (wall - segment.offset < segment.end) return wall - segment.offset
      const skipsTo = wall - SAFE_DISTANCE
      from = skipsTo > segment.end && segment.end - from > SAFE_DISTANCE ? skipsTo : segment.end
    }
  }

  const previous = (before: number): number | null => {
    let to = before
    for (;;) {
      const segment = zone.segmentAt(to - 1)
      const wall = times.lastBefore(to + segment.offset)
      if (wall === null) return null
      if (wall >= firstWall(segment)) return wall - segment.offset
      if (isMovedGap(segment) && hasTickInGap(segment)) return segment.start
      const skipsTo = wall + SAFE_DISTANCE
      to = skipsTo < segment.start && to - segment.start > SAFE_DISTANCE ? skipsTo : segment.start
    }
  }

  const explain = (tick: number): Dst => {
    const segment = zone.segmentAt(tick)
    const wall = tick + segment.offset
    if (tick === segment.start && isMovedGap(segment) && times.firstFrom(wall) !== wall) return "gap"
    const following = zone.segmentAt(segment.end)
    const isRepeated = wall < segment.start + segment.offsetBefore
    const isRepeatedLater = wall >= segment.end + following.offset
    return isRepeated || isRepeatedLater ? "overlap" : null
  }

  return { next, previous, explain }
}
