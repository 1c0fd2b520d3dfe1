import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

/**
 * While a process starts, V8 doubles the young generation of its heap up to 32 MiB, and returns nothing of that until much later.
 * Kept at its first size during the start, the brain at rest has 22 MiB less. V8 reads the factor at each growth, so that the
 * heap of a busy brain grows afterwards as always.
 */
export const holdYoungGeneration = Effect.sync(() => setFlagsFromString("--semi-space-growth-factor=1"))

/** V8's own factor again. */
export const releaseYoungGeneration = Effect.sync(() => setFlagsFromString("--semi-space-growth-factor=2"))
