/**
 * What one task adds to the rollups (docs/trends.md), as a pure function of its row and runs. A writer adds the
 * contribution of the new row and subtracts that of the old one, so the rollups equal the sum over all tasks, whatever
 * the order, repetition and batching of their events.
 */
import { type Timestamp, toEpochMillis } from "../../kernel/Timestamp.ts"
import { type Analysis, endOfRun, firstStartOf, receivedAtOf, type Run } from "../TaskHistory.ts"
import { appendEncoded, bucketOf, type Histogram } from "./Histogram.ts"

/** The fields of a task's row that its contribution depends on. */
export interface RollupTask {
  readonly name: string
  readonly queue: string | null
  readonly worker_name: string | null
  readonly state: string
  readonly received_at: string | null
  readonly first_event_at: string
  readonly finished_at: string | null
  readonly runtime_ms: number | null
}

export interface Contribution {
  readonly name: string
  /** Empty: unknown. */
  readonly queue: string
  /** The moments of its retries, in order. */
  readonly retries: ReadonlyArray<string>
  /** In order; at least one. */
  readonly runs: ReadonlyArray<RunContribution>
}

export interface RunContribution {
  /** When it was received, else its first event. */
  readonly receivedAt: string
  readonly waitsFrom: string | null
  /** The first start. */
  readonly startedAt: string | null
  readonly outcome: Outcome | null
  readonly endedAt: string
  /** Null: unknown, as of a task that was revoked before it started. */
  readonly worker: string | null
  readonly runtimeMillis: number | null
}

export const outcomes = ["success", "failure", "revoked", "rejected"] as const
export type Outcome = (typeof outcomes)[number]

export const isOutcome = (state: string): state is Outcome => (outcomes as ReadonlyArray<string>).includes(state)

/** Sums of one series and minute. `received` and the outcomes are runs, `retry` retries; the rest is about durations. */
export interface Sums {
  received: number
  success: number
  failure: number
  retry: number
  revoked: number
  rejected: number
  runtime_count: number
  runtime_sum: number
  wait_count: number
  wait_sum: number
}

export interface Cell extends Sums {
  readonly runtimes: Histogram
  readonly waits: Histogram
}

/**
 * A cell whose histograms are encoded, as a change of it and as sums of stored rows have them. They may name a bucket more
 * than once: a map for each task is what a change costs.
 */
export interface EncodedCell extends Sums {
  runtimes: string
  waits: string
}

// without a spread of common fields, which made collecting changes four times as slow
export const emptyEncodedCell = (): EncodedCell => ({
  received: 0,
  success: 0,
  failure: 0,
  retry: 0,
  revoked: 0,
  rejected: 0,
  runtime_count: 0,
  runtime_sum: 0,
  wait_count: 0,
  wait_sum: 0,
  runtimes: "",
  waits: ""
})

export const emptyCell = (): Cell => ({
  received: 0,
  success: 0,
  failure: 0,
  retry: 0,
  revoked: 0,
  rejected: 0,
  runtime_count: 0,
  runtime_sum: 0,
  wait_count: 0,
  wait_sum: 0,
  runtimes: new Map(),
  waits: new Map()
})

export const sumNames = [
  "received",
  "success",
  "failure",
  "retry",
  "revoked",
  "rejected",
  "runtime_count",
  "runtime_sum",
  "wait_count",
  "wait_sum"
] as const satisfies ReadonlyArray<keyof Sums>

/** Until its name is known a task has a placeholder of its own, which must not become a series of its own. */
export const unknownName = "<unknown>"

const noRetries: ReadonlyArray<string> = []

export const contributionOf = (task: RollupTask, { attempts, runs }: Analysis): Contribution => {
  let retries = noRetries
  for (const { retryEntry } of attempts) if (retryEntry !== null) retries = [...retries, retryEntry.at]
  return {
    name: task.name.startsWith("<unknown") ? unknownName : task.name,
    queue: task.queue ?? "",
    retries,
    runs: runs.length === 1 ? [latestRunOf(task, runs[0])] : runs.map((run, index): RunContribution => {
      if (index === runs.length - 1) return latestRunOf(task, run)
      const { at, outcome, runtimeMillis, worker } = endOfRun(run)
      return {
        receivedAt: receivedAtOf(run) ?? run.firstAt ?? at,
        waitsFrom: receivedAtOf(run),
        startedAt: firstStartOf(run),
        outcome: isOutcome(outcome) ? outcome : null,
        endedAt: at,
        worker,
        runtimeMillis
      }
    })
  }
}

/** The latest run is the one that the row shows. */
const latestRunOf = (task: RollupTask, run: Run): RunContribution => {
  const outcome = isOutcome(task.state) ? task.state : null
  return {
    receivedAt: task.received_at ?? task.first_event_at,
    waitsFrom: task.received_at,
    startedAt: firstStartOf(run),
    outcome,
    endedAt: outcome === null ? "" : task.finished_at ?? run.attempts.at(-1)?.startEntry?.at ?? task.first_event_at,
    worker: task.worker_name,
    runtimeMillis: outcome === null ? null : task.runtime_ms
  }
}

/** Finds the change of a minute; `at` is a moment in it. */
type ChangeAt = (at: string) => EncodedCell

/** Finds the change of a minute of a worker, which has counts of ends alone. */
type WorkerChangeAt = (worker: string, at: string) => EncodedCell

/**
 * Adds (1) or subtracts (-1) the parts of `one` that `other` does not have too; both are of one series, but for the
 * workers of their runs.
 */
export const addDifference = (
  changeAt: ChangeAt,
  workerChangeAt: WorkerChangeAt,
  one: Contribution,
  other: Contribution | null,
  sign: 1 | -1
): void => {
  // a run that came before others moves them: what one place subtracts the next one adds
  for (let index = 0; index < one.runs.length; index++) {
    addRunDifference(changeAt, workerChangeAt, one.runs[index]!, other?.runs[index] ?? null, sign)
  }
  if (one.retries.length > 0 && !isSameList(one.retries, other?.retries ?? noRetries)) {
    for (const at of one.retries) changeAt(at).retry += sign
  }
}

const addRunDifference = (
  changeAt: ChangeAt,
  workerChangeAt: WorkerChangeAt,
  one: RunContribution,
  other: RunContribution | null,
  sign: 1 | -1
): void => {
  if (one.receivedAt !== other?.receivedAt) changeAt(one.receivedAt).received += sign
  if (one.startedAt !== null && (one.startedAt !== other?.startedAt || one.waitsFrom !== other.waitsFrom)) {
    addWait(changeAt, one.startedAt, one.waitsFrom, sign)
  }
  if (one.outcome === null) return
  if (isSameEnd(one, other)) return
  addEnd(changeAt(one.endedAt), one.outcome, one.runtimeMillis, sign)
  if (one.worker !== null && one.worker !== "") workerChangeAt(one.worker, one.endedAt)[one.outcome] += sign
}

/** Whether `after` has all that `before` adds: the usual case, in which a task only gains parts. */
export const hasOnlyGained = (before: Contribution, after: Contribution): boolean => {
  if (before.retries.length > 0) return false
  for (let index = 0; index < before.runs.length; index++) {
    const now = after.runs[index]
    if (now === undefined || !isContained(before.runs[index]!, now)) return false
  }
  return true
}

const isContained = (run: RunContribution, now: RunContribution): boolean =>
  run.receivedAt === now.receivedAt &&
  (run.startedAt === null || (run.startedAt === now.startedAt && run.waitsFrom === now.waitsFrom)) &&
  (run.outcome === null || isSameEnd(run, now))

const isSameEnd = (one: RunContribution, other: RunContribution | null): boolean =>
  other !== null && one.outcome === other.outcome && one.endedAt === other.endedAt && one.worker === other.worker &&
  one.runtimeMillis === other.runtimeMillis

/** The runs that ended, by outcome, since the contribution before: the latest of each outcome that has more. */
export const findNewlyEnded = (
  before: Contribution | null,
  after: Contribution
): ReadonlyArray<EndedRun> => {
  if (
    after.runs.length === 1 && (after.runs[0]!.outcome === null || after.runs[0]!.outcome === before?.runs[0]?.outcome)
  ) {
    return noneEnded // most folds
  }
  const ended = after.runs.filter(hasEnded)
  if (ended.length === 0) return noneEnded
  return outcomes.flatMap((outcome): ReadonlyArray<EndedRun> => {
    const known = before?.runs.filter((run) => run.outcome === outcome).length ?? 0
    const now = ended.filter((run) => run.outcome === outcome)
    return now.length > known ? now.slice(known - now.length) : noneEnded
  })
}

const noneEnded: ReadonlyArray<never> = []

type EndedRun = RunContribution & { readonly outcome: Outcome }

const hasEnded = (run: RunContribution): run is EndedRun => run.outcome !== null

const isSameList = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((at, index) => at === other[index])

/** About 30 years: a longer duration is a mistake, and a sum of them would be larger than a 64-bit column. */
const longestMillis = 1e12

const addWait = (changeAt: ChangeAt, startedAt: string, receivedAt: string | null, sign: 1 | -1): void => {
  if (receivedAt === null) return
  // the casts: columns and entries hold timestamps
  const millis = toEpochMillis(startedAt as Timestamp) - toEpochMillis(receivedAt as Timestamp)
  if (millis < 0) return // by clocks that disagree
  const change = changeAt(startedAt)
  change.wait_count += sign
  change.wait_sum += sign * Math.min(millis, longestMillis)
  change.waits = appendEncoded(change.waits, bucketOf(millis), sign)
}

const addEnd = (change: EncodedCell, outcome: Outcome, runtimeMillis: number | null, sign: 1 | -1): void => {
  change[outcome] += sign
  if (runtimeMillis === null || runtimeMillis < 0) return
  change.runtime_count += sign
  change.runtime_sum += sign * Math.min(runtimeMillis, longestMillis)
  change.runtimes = appendEncoded(change.runtimes, bucketOf(runtimeMillis), sign)
}
