import { randomInt } from "node:crypto"

const slotCount = 32
const firstSlot = randomInt(slotCount)

/**
 * Where a writer of this process keeps its part of each count in `task_counts`: several slots, so that writers seldom
 * wait for one another's row. The count is the sum; a single slot may be negative.
 */
export const countSlot = (lane: number): number => (firstSlot + lane) % slotCount
