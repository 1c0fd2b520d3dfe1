import { type Attempt, attemptsOf, type Transitions, transitionsOf } from "./Attempts.ts"
import type { History } from "./History.ts"
import { type Runs, runsOf } from "./Runs.ts"

/** The analysis of a history before any field is read: steps 4 to 7 together. */
export interface HistoryAnalysis extends Transitions {
  /** Of all runs, in order. */
  readonly attempts: ReadonlyArray<Attempt>
  readonly runs: Runs
}

export const analyseHistory = (history: History): HistoryAnalysis => {
  const { distinctEntries, original } = transitionsOf(history.entries)
  const attempts = attemptsOf(distinctEntries)
  return { distinctEntries, original, attempts, runs: runsOf(history, attempts) }
}
