/** Which missed ticks of a schedule are one misfire: those of one outage. */
import type { ScheduleId } from "../../kernel/Id.ts"
import { secondsBetween, secondsPerDay, type Timestamp } from "../../kernel/Timestamp.ts"
import type { Cadence } from "./Cadence.ts"
import type { MisfireCause } from "./Misfire.ts"
import { maxCountedTicks } from "./Misfire.ts"

/** Ticks in a row, from `first` to `last`. */
export interface MissedTicks {
  readonly first: Timestamp
  readonly last: Timestamp
  /** Their number, at most `maxCountedTicks`. */
  readonly slots: number
  readonly cause: MisfireCause
}

/** What fires schedules was away or late. While it comes back, its ticks have one of these causes after the other. */
const outageCauses: ReadonlySet<MisfireCause> = new Set([
  "brain_down",
  "scheduler_down",
  "lease_lost",
  "clock_step",
  "late"
])

const isOneOutage = (one: MisfireCause, other: MisfireCause): boolean =>
  one === other || (outageCauses.has(one) && outageCauses.has(other))

const limit = (slots: number): number => Math.min(slots, maxCountedTicks)

const countAfter = (cadence: Cadence | null, after: Timestamp, until: Timestamp): number => {
  let count = 0
  for (const _ of cadence?.ticksBackwards(until, after) ?? []) if (++count >= maxCountedTicks) break
  return count
}

/**
 * Adds the ticks to the outage where both are one: they overlap, or the ticks follow without a tick between. Null: the
 * ticks are another outage. The outage itself: it has the ticks already. `cadence`: null where it does not compile.
 */
export const joinOutage = (cadence: Cadence | null, outage: MissedTicks, ticks: MissedTicks): MissedTicks | null => {
  if (ticks.first < outage.first) return null
  if (ticks.last <= outage.last) return outage
  if (ticks.first <= outage.last) {
    const slots = limit(outage.slots + countAfter(cadence, outage.last, ticks.last))
    return { ...outage, last: ticks.last, slots }
  }
  return isOneOutage(outage.cause, ticks.cause) && cadence?.next(outage.last) === ticks.first
    ? { ...outage, last: ticks.last, slots: limit(outage.slots + ticks.slots) }
    : null
}

/** The ticks as outages, oldest first. */
export const joinOutages = (
  cadence: Cadence | null,
  ticks: ReadonlyArray<MissedTicks>
): ReadonlyArray<MissedTicks> => {
  const outages: Array<MissedTicks> = []
  for (const next of ticks.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const last = outages.at(-1)
    const joined = last === undefined ? null : joinOutage(cadence, last, next)
    if (joined === null) outages.push(next)
    else outages[outages.length - 1] = joined
  }
  return outages
}

/** The last tick of a misfire of which only the number of ticks is known. */
export const lastOf = (cadence: Cadence | null, first: Timestamp, slots: number): Timestamp => {
  let last = first
  for (let count = 1; count < slots; count++) {
    const next = cadence?.next(last) ?? null
    if (next === null) break
    last = next
  }
  return last
}

/** The misfire of a schedule before a tick, as far as it says whether the tick is one of its outage. */
export interface KnownMisfire {
  readonly schedule_id: ScheduleId
  readonly detected_at: Timestamp
  readonly expected_fire_at: Timestamp
  readonly slots: number
  readonly last_tick_at: Timestamp | null
  readonly cause: MisfireCause
}

/** An outage that lasts longer is another misfire each day, so that it is reported again and counted among the newest. */
const longestOutageSeconds = secondsPerDay

/** The outage that the ticks belong to: `known` with them, or they alone. Null: `known` has them already. */
export const extendOutage = (
  cadence: Cadence | null,
  known: KnownMisfire,
  ticks: MissedTicks,
  now: Timestamp
): MissedTicks | null => {
  const { cause, expected_fire_at: first, slots } = known
  const outage = { first, last: known.last_tick_at ?? lastOf(cadence, first, slots), slots, cause }
  const joined = joinOutage(cadence, outage, ticks)
  if (joined === outage) return null
  const isOld = secondsBetween(known.detected_at, now) > longestOutageSeconds
  return joined === null || (isOld && outage.last < ticks.first) ? ticks : joined
}
