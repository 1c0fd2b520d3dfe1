import { createHash } from "node:crypto"
import type { ScheduleId } from "../../kernel/Id.ts"
import { addSeconds, type Timestamp, toEpochSeconds } from "../../kernel/Timestamp.ts"

/**
 * The tick, later by less than `jitterSeconds` and before the next tick. The delay is a hash of both arguments, in
 * milliseconds: every replica computes the same, and the schedules of one tick are spread.
 */
export const addJitter = (
  scheduleId: ScheduleId,
  tick: Timestamp,
  jitterSeconds: number,
  nextTick: Timestamp | null
): Timestamp => {
  const seconds = nextTick === null
    ? jitterSeconds
    : Math.min(jitterSeconds, toEpochSeconds(nextTick) - toEpochSeconds(tick))
  if (seconds <= 0) return tick
  const share = createHash("sha256").update(`${scheduleId}:${tick}`).digest().readUInt32BE() / 2 ** 32
  return addSeconds(tick, Math.floor(share * seconds * 1000) / 1000)
}
