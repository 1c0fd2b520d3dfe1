import { randomInt } from "node:crypto"

const slotCount = 32
const firstSlot = randomInt(slotCount)

/**
 * The slot of each count in `task_counts` that a writer of this process updates. There are several, so that writers
 * seldom wait for the same row. The count is the sum of the slots; a single slot may be negative.
 */
export const countSlot = (partition: number): number => (firstSlot + partition) % slotCount
