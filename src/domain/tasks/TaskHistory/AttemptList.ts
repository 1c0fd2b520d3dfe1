/** The attempts of a task's latest run, for the pages that draw them ("The attempts of a run", docs/attempts.md). */
import { STATE_AFTER, type TaskState } from "../../kernel/TaskState.ts"
import { addSeconds, type Timestamp } from "../../kernel/Timestamp.ts"
import { analyseHistory, type HistoryAnalysis } from "./Analysis.ts"
import type { Attempt } from "./Attempts.ts"
import type { History, HistoryEntry } from "./History.ts"
import { isLost, WORKER_LOST } from "./LostStarts.ts"
import { exceptionOf, MAX_EXCEPTION, textMembersOf } from "./Past.ts"
import { computeTaskFields } from "./Projection.ts"
import { firstStartOf, measureRuntime, readRuntime, reportedRuntimeOf } from "./Runs.ts"
import { workerOf } from "./Workers.ts"

/** A try of the task; `number` counts the starts of the run from 1. */
export interface NumberedAttempt {
  readonly number: number
  /** Of an attempt that is not the last: `retry` where it ended without an error, for instance because its worker stopped. */
  readonly state: TaskState
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp | null
  readonly runtime_ms: number | null
  readonly worker_name: string | null
  readonly exception: string | null
}

export interface LatestRun {
  /** When its first attempt started; null: no start is known. */
  readonly first_started_at: Timestamp | null
  /** Those that are kept, in order. */
  readonly attempt_list: ReadonlyArray<NumberedAttempt>
}

/** The latest run. Its last attempt is as the row shows it, unless the task waits for another one. */
export const describeLatestRun = (
  history: History,
  analysis: HistoryAnalysis = analyseHistory(history)
): LatestRun => {
  const run = analysis.runs.at(-1)!
  const before = run.openRun?.starts ?? 0
  const attempt_list = run.attempts.map((attempt, index): NumberedAttempt => ({
    number: before + index + 1,
    ...(index === run.attempts.length - 1 && !waitsForAnother(attempt)
      ? lastAttempt(history, analysis)
      : earlierAttempt(run.attempts, index))
  }))
  return { first_started_at: before > 0 ? firstStartOf(run) : attempt_list[0]?.started_at ?? null, attempt_list }
}

const waitsForAnother = ({ endEntry, retryEntry }: Attempt): boolean => endEntry === null && retryEntry !== null

const lastAttempt = (history: History, analysis: HistoryAnalysis): Omit<NumberedAttempt, "number"> => {
  const { exception, finished_at, runtime_ms, started_at, state, worker_name } = computeTaskFields(history, analysis)
  return {
    state,
    started_at,
    finished_at,
    runtime_ms,
    worker_name,
    // while the task is started its exception tells of the starts that lost their workers
    exception: state === "started" ? null : exception?.slice(0, MAX_EXCEPTION).toWellFormed() ?? null
  }
}

const earlierAttempt = (attempts: ReadonlyArray<Attempt>, index: number): Omit<NumberedAttempt, "number"> => {
  const { endEntry, retryEntry, startEntry, transitions } = attempts[index]!
  const worker_name = workerOf(transitions)
  const entry = endEntry ?? retryEntry
  if (entry === null) {
    const hasLostWorker = isLost(attempts, index)
    return {
      state: hasLostWorker ? "failure" : "unknown",
      started_at: startEntry?.at ?? null,
      finished_at: null,
      runtime_ms: null,
      worker_name,
      exception: hasLostWorker ? WORKER_LOST : null
    }
  }
  const reported = readRuntime(reportedRuntimeOf(entry))
  const state = entry.kind === "task.retried" && hasError(entry) ? "failure" : STATE_AFTER[entry.kind]
  return {
    state,
    started_at: reported === null ? startEntry?.at ?? null : addSeconds(entry.at, -reported / 1000),
    finished_at: entry.at,
    runtime_ms: reported ?? measureRuntime(startEntry, entry),
    worker_name,
    exception: state === "success" ? null : exceptionOf(entry)
  }
}

/** Celery's text of a retry: `Retry in 3s: ValueError('no')`; without an exception it ends after the time. */
const celeryRetryWithError = /^Retry (?:in|at) .+?: ./

/** Whether a `retried` names an error. Otherwise the task went back without one, as when its worker stopped. */
const hasError = (entry: HistoryEntry): boolean => {
  const textOf = textMembersOf(entry)
  return textOf("exception") !== null || textOf("exception_message") !== null ||
    celeryRetryWithError.test(textOf("reason") ?? "")
}
