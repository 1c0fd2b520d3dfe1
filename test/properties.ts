import { inject } from "vitest"

declare module "vitest" {
  export interface ProvidedContext {
    /** Of all random tests. `SVC_TEST_SEED` sets it; the full lane takes another one each time, and prints it. */
    seed: number
    /** How many times the usual number of random tests is run. `SVC_TEST_EFFORT` sets it; 10 in the full lane. */
    effort: number
  }
}

export const seed = inject("seed")

/** How often a random test runs that usually runs `count` times. */
export const runs = (count: number): number => count * inject("effort")
