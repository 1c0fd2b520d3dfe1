import {
  type BacktestDay,
  type BacktestSample,
  type Counted,
  maxSamples,
  maxTopValues,
  maxTrips,
  type SuppressedMatches
} from "../../domain/automation/Backtest.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { Verdict } from "./Simulation.ts"

/** Counts the verdicts of a backtest, which come in the order of their time. */
export const makeReport = () => {
  const suppressed: Record<keyof SuppressedMatches, number> = { degraded: 0, ceiling: 0, loop_guard: 0, not_allowed: 0 }
  const days = new Map<string, { matched: number; would_execute: number }>()
  const names = new Map<string, number>()
  const fingerprints = new Map<string, number>()
  const workers = new Map<string, number>()
  const tripped: Array<Timestamp> = []
  const samples: Array<BacktestSample> = []
  let matched = 0
  let executed = 0
  let trips = 0

  const record = (verdict: Verdict): void => {
    const { event, occurrence, outcome } = verdict
    const isExecuted = outcome === "executed" || outcome === "dry_run"
    matched++
    if (isExecuted) executed++
    else suppressed[outcome]++
    const day = occurrence.occurred_at.slice(0, 10)
    const counts = days.get(day) ?? { matched: 0, would_execute: 0 }
    days.set(day, { matched: counts.matched + 1, would_execute: counts.would_execute + (isExecuted ? 1 : 0) })
    increment(names, event.task_name)
    increment(fingerprints, event.fingerprint)
    increment(workers, occurrence.worker)
    if (verdict.trips && ++trips <= maxTrips) tripped.push(occurrence.occurred_at)
    samples.push(sampleOf(verdict))
    if (samples.length > maxSamples) samples.shift()
  }

  return {
    record,
    result: () => ({
      matched,
      would_execute: executed,
      held_back: suppressed satisfies SuppressedMatches,
      trips,
      tripped_at: tripped,
      per_day: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, counts]): BacktestDay => ({
        day,
        ...counts
      })),
      task_names: topOf(names),
      fingerprints: topOf(fingerprints),
      workers: topOf(workers),
      samples: samples.toReversed()
    })
  } as const
}

const increment = (counts: Map<string, number>, value: string | null): void => {
  if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
}

const topOf = (counts: ReadonlyMap<string, number>): ReadonlyArray<Counted> =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, maxTopValues)
    .map(([value, count]) => ({ value, count }))

const sampleOf = ({ action, detail, event, occurrence, outcome }: Verdict): BacktestSample => ({
  occurred_at: occurrence.occurred_at,
  action,
  outcome,
  reason: detail,
  engine: event.engine,
  task_id: occurrence.task_id,
  task_name: event.task_name,
  worker: occurrence.worker,
  detail: occurrence.detail
})
