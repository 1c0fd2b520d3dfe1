import { randomInt } from "node:crypto"

const slots = 32
const first = randomInt(slots)

/**
 * Where a writer of this process keeps its part of each count in `task_counts`: several slots, so that writers seldom
 * wait for one another's row. The count is the sum; a single slot may be negative.
 */
export const countSlot = (lane: number): number => (first + lane) % slots
