import type { CatchUp } from "../Schedule.ts"

export interface CatchUpResult<Tick> {
  /** Oldest first. */
  readonly ticks: ReadonlyArray<Tick>
  /** Whether older missed ticks than these are left out, because there are more than `most`. */
  readonly isCut: boolean
}

/**
 * The missed ticks to fire: none, the newest one, or the newest `most` of them. Reads at most `most` + 1 ticks of
 * `newestFirst`, so a schedule that ticks each second and was away for a year costs no more
 * (`Cadence.ticksBackwards`).
 */
export const catchUp = <Tick>(
  policy: CatchUp,
  newestFirst: Iterable<Tick>,
  most: number
): CatchUpResult<Tick> => {
  if (policy === "skip") return { ticks: [], isCut: false }
  const limit = policy === "fire_one_missed" ? 1 : most
  const ticks: Array<Tick> = []
  for (const tick of newestFirst) {
    if (ticks.length >= limit) return { ticks: ticks.reverse(), isCut: policy === "fire_all_missed" }
    ticks.push(tick)
  }
  return { ticks: ticks.reverse(), isCut: false }
}
