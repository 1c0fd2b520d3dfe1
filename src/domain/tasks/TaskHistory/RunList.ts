import type { TaskState } from "../../kernel/TaskState.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import { analyseHistory, type HistoryAnalysis } from "./Analysis.ts"
import type { History, PastRun } from "./History.ts"
import { countStarts, summarizeRun } from "./Past.ts"
import { computeTaskFields } from "./Projection.ts"

/** A run of a task, counted from 1; `finished_at` is null until it ends. */
export interface NumberedRun extends Omit<PastRun, "state" | "finished_at"> {
  readonly number: number
  readonly state: TaskState
  readonly finished_at: Timestamp | null
}

/** The runs that are kept, latest first, and how many there were. */
export const listRuns = (
  history: History
): { readonly items: ReadonlyArray<NumberedRun>; readonly total_count: number } => {
  if (history.entries.length === 0) return { items: [], total_count: 0 } // a row that no event created
  const analysis = analyseHistory(history)
  const earlier = [...history.past?.runs ?? [], ...analysis.runs.slice(0, -1).map(summarizeRun)]
  const before = history.past?.earlierRunCount ?? 0
  const latest: NumberedRun = { ...latestRun(history, analysis), number: before + earlier.length + 1 }
  const numbered = earlier.map((run, index): NumberedRun => ({ ...run, number: before + index + 1 }))
  return { items: [...numbered, latest].reverse(), total_count: latest.number }
}

/** As the row shows it. */
const latestRun = (history: History, analysis: HistoryAnalysis): Omit<NumberedRun, "number"> => {
  const fields = computeTaskFields(history, analysis)
  const { exception, finished_at, received_at, retry_count, runtime_ms, started_at, state, worker_name } = fields
  const attempts = countStarts(analysis.runs.at(-1)!)
  return { state, received_at, started_at, finished_at, attempts, retry_count, runtime_ms, worker_name, exception }
}

/** How often the latest run started, and the number of runs. */
export const countRuns = (history: History): { readonly attempts: number; readonly run_count: number } => {
  const { runs } = analyseHistory(history)
  const { earlierRunCount = 0, runs: past = [] } = history.past ?? {}
  return { attempts: countStarts(runs.at(-1)!), run_count: earlierRunCount + past.length + runs.length }
}
