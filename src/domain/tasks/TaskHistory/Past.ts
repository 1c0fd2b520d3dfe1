/** What a history keeps of its oldest runs and attempts, so that its entries stay few ("Many runs", docs/attempts.md). */
import { STATE_AFTER } from "../../kernel/TaskState.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import { analyseHistory, type HistoryAnalysis } from "./Analysis.ts"
import type { Attempt } from "./Attempts.ts"
import { STORED_FIELDS } from "./Event.ts"
import { exceptionText } from "./Exception.ts"
import { failureOf } from "./Failures.ts"
import {
  eventSourceOf,
  type History,
  type HistoryEntry,
  NAMED_EVENTS,
  type OpenRun,
  type Past,
  type PastRun
} from "./History.ts"
import { membersOf } from "./Members.ts"
import { countRepublications } from "./Republications.ts"
import { endOfRun, firstStartOf, receivedAtOf, type Run } from "./Runs.ts"
import { workerOf } from "./Workers.ts"

/** Runs and attempts that keep their events; of older ones the outcome is kept, and of the oldest their number. */
export const KEPT_RUNS = 50
const KEPT_ATTEMPTS = 150
const KEPT_ENTRIES = 600
export const PAST_RUNS = 100

/** Characters of the exception of a past run, and of an attempt. */
export const MAX_EXCEPTION = 200

/** Values that only the last attempt shows: those of a dropped attempt are not needed. */
const OF_LAST_ATTEMPT: ReadonlySet<number> = new Set([
  STORED_FIELDS.result,
  STORED_FIELDS.exception,
  STORED_FIELDS.traceback,
  STORED_FIELDS.runtime_ms
])

/** Where a history may be split: before the attempt, and the moment of the first entry that is kept. */
interface CompactionPoint {
  readonly attempt: number
  readonly moment: Timestamp
}

/**
 * The history without its oldest entries where it has too many, otherwise the history itself. What is kept is read as it
 * was before: a point that would change an attempt is skipped for a later one. The result depends on the entries alone.
 */
export const compactHistory = (history: History, analysis: HistoryAnalysis): History => {
  const { attempts, runs } = analysis
  const { entries } = history
  if (runs.length <= KEPT_RUNS && attempts.length <= KEPT_ATTEMPTS && entries.length <= KEPT_ENTRIES) return history
  for (const point of listCompactionPoints(history, analysis)) {
    const from = entries.findIndex(({ at }) => at >= point.moment)
    if (from < 1) continue
    const kept = entries.slice(from)
    const past = pastOf(history, analysis, point, entries.slice(0, from))
    const compact: History = { entries: kept, facts: factsOf(history, kept), past }
    if (isReadAlike(compact, analysis, point.attempt)) return compact
  }
  return history
}

/** From the first one that leaves few enough entries. */
const listCompactionPoints = (
  { entries }: History,
  { attempts, runs }: HistoryAnalysis
): ReadonlyArray<CompactionPoint> => {
  const oldestEntry = entries[Math.max(0, entries.length - KEPT_ENTRIES)]!
  if (attempts.length === 0) return [{ attempt: 0, moment: oldestEntry.at }]
  const points: Array<CompactionPoint> = []
  let attempt = 0
  runs.forEach((run, index) => {
    for (const [nth, { transitions }] of run.attempts.entries()) {
      const moment = nth === 0 ? run.firstAt ?? transitions[0]!.at : transitions[0]!.at
      const isEnough = runs.length - index <= KEPT_RUNS && attempts.length - attempt <= KEPT_ATTEMPTS &&
        (entries.length <= KEPT_ENTRIES || moment >= oldestEntry.at)
      if (isEnough && attempt > 0) points.push({ attempt, moment })
      attempt++
    }
  })
  return points
}

/** Whether the kept entries have the attempts that they had, so that what they add to counts is the same. */
const isReadAlike = (compact: History, { attempts, distinctEntries }: HistoryAnalysis, from: number): boolean => {
  const found = analyseHistory(compact)
  const expected = attempts.slice(from).flatMap(({ transitions }) => transitions)
  return found.attempts.length === attempts.length - from && found.distinctEntries.length === expected.length &&
    found.distinctEntries.every((entry, index) =>
      entry === distinctEntries[distinctEntries.length - expected.length + index]
    )
}

const factsOf = ({ facts }: History, kept: ReadonlyArray<HistoryEntry>): History["facts"] => {
  const ids = new Set(kept)
  return facts.map((fact, slot) =>
    fact !== undefined && !ids.has(fact.entry) && OF_LAST_ATTEMPT.has(slot >> 1) ? undefined : fact
  )
}

const pastOf = (
  { past }: History,
  { attempts, runs }: HistoryAnalysis,
  point: CompactionPoint,
  dropped: ReadonlyArray<HistoryEntry>
): Past => {
  const ended: Array<PastRun> = []
  let openRun: OpenRun | null = null
  let attempt = 0
  for (const run of runs) {
    const next = attempt + run.attempts.length
    if (next <= point.attempt && next > attempt) ended.push(summarizeRun(run))
    else if (attempt < point.attempt || attempts.length === 0) {
      openRun = toOpenRun(run, point, run.attempts.slice(0, point.attempt - attempt))
    }
    attempt = next
  }
  const all = [...past?.runs ?? [], ...ended]
  const failure = attempts.slice(0, point.attempt).map(failureOf).findLast((entry) => (entry?.signature ?? "") !== "")
  return {
    horizon: point.moment,
    runs: all.slice(-PAST_RUNS),
    earlierRunCount: (past?.earlierRunCount ?? 0) + Math.max(0, all.length - PAST_RUNS),
    openRun,
    name: dropped.findLast(({ name }) => eventSourceOf(name) === NAMED_EVENTS)?.name ?? past?.name ?? null,
    failure: failure === undefined || failure === null
      ? past?.failure ?? null
      : { signature: failure.signature, at: failure.at }
  }
}

const toOpenRun = (run: Run, { moment }: CompactionPoint, attempts: ReadonlyArray<Attempt>): OpenRun => ({
  receivedAt: receivedAtOf(run),
  firstAt: run.firstAt,
  startedAt: firstStartOf(run),
  starts: (run.openRun?.starts ?? 0) + attempts.filter(({ startEntry }) => startEntry !== null).length,
  retries: (run.openRun?.retries ?? 0) + attempts.filter(({ retryEntry }) => retryEntry !== null).length,
  republications: (run.openRun?.republications ?? 0) + countRepublications(run.receipts.filter(({ at }) => at < moment))
})

/** A run that is not the latest. */
export const summarizeRun = (run: Run): PastRun => {
  const { at, outcome, runtimeMillis } = endOfRun(run)
  const last = run.attempts.at(-1)!
  return {
    state: outcome,
    received_at: receivedAtOf(run),
    started_at: last.startEntry?.at ?? null,
    finished_at: at,
    attempts: countStarts(run),
    retry_count: countRetries(run),
    runtime_ms: runtimeMillis,
    worker_name: workerOf(last.transitions),
    exception: outcome === STATE_AFTER["task.succeeded"] ? null : exceptionOf(last.endEntry!)
  }
}

/** The starts of a run. */
export const countStarts = ({ attempts, openRun }: Run): number =>
  (openRun?.starts ?? 0) + attempts.filter(({ startEntry }) => startEntry !== null).length

/** Retries as the engine reports them, or as it published the task again, whichever are more. */
export const countRetries = ({ attempts, openRun, receipts }: Run): number =>
  Math.max(
    (openRun?.retries ?? 0) + attempts.filter(({ retryEntry }) => retryEntry !== null).length,
    (openRun?.republications ?? 0) + countRepublications(receipts)
  )

/** Reads the small fields of an entry that are text. */
export const textMembersOf = ({ rest }: HistoryEntry): (field: string) => string | null => {
  const members = new Map(membersOf(rest))
  return (field) => {
    const value: unknown = JSON.parse(members.get(field) ?? "null")
    return typeof value === "string" ? value : null
  }
}

/** What the timeline has of the exception; an entry keeps the last line of a traceback only. */
export const exceptionOf = (entry: HistoryEntry): string | null => {
  const textOf = textMembersOf(entry)
  const text = exceptionText("", {
    exception: textOf("exception"),
    message: textOf("exception_message"),
    reason: textOf("reason"),
    traceback: null
  })
  return text === null ? null : text.slice(0, MAX_EXCEPTION).toWellFormed()
}
