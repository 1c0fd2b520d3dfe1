/** From attempts to runs: step 7 of docs/attempts.md. */
import { STATE_AFTER, type TaskState } from "../../kernel/TaskState.ts"
import { addSeconds, type Timestamp } from "../../kernel/Timestamp.ts"
import type { Attempt } from "./Attempts.ts"
import { microsOf } from "./Deduplication.ts"
import { eventSourceOf, type History, type HistoryEntry, NAMED_EVENTS, type OpenRun } from "./History.ts"
import { membersOf } from "./Members.ts"

/** Attempts up to a final end, and what came before the first of them. A run that waits has none. */
export interface Run {
  readonly attempts: ReadonlyArray<Attempt>
  /** Its `received` events that count, in order. */
  readonly receipts: ReadonlyArray<HistoryEntry>
  /** The earliest of its events that count; null: none counts. */
  readonly firstAt: Timestamp | null
  /** Its dropped beginning; null: it has all its attempts. */
  readonly openRun: OpenRun | null
}

/** In order; at least one. The latest one is what the row shows. */
export type Runs = readonly [Run, ...ReadonlyArray<Run>]

/** A later report of a receipt comes within this time, as those of other transitions (`Deduplication.ts`). */
const REPORTS_WITHIN_SECONDS = 60

/** The only run, as most tasks have one. Its fields are computed on demand: half of the analyses need none of it. */
class OnlyRun implements Run {
  readonly openRun = null
  private found: ReadonlyArray<HistoryEntry> | undefined

  constructor(private readonly entries: ReadonlyArray<HistoryEntry>, readonly attempts: ReadonlyArray<Attempt>) {}

  get receipts(): ReadonlyArray<HistoryEntry> {
    return this.found ??= entriesOfKind(this.entries, "task.received")
  }

  get firstAt(): Timestamp | null {
    const [published] = entriesOfKind(this.entries, "task.sent")
    return earliestOf([this.receipts[0], published, this.attempts[0]?.transitions[0]]) ?? null
  }
}

export const runsOf = ({ entries, past }: History, attempts: ReadonlyArray<Attempt>): Runs => {
  if (past === null && attempts.length <= 1 && !hasReceiptAfter(entries, attempts[0]?.endEntry ?? null)) {
    return [new OnlyRun(entries, attempts)]
  }
  const receipts = entriesOfKind(entries, "task.received")
  const publications = entriesOfKind(entries, "task.sent")
  const groups = groupAttempts(attempts)
  const waiting = waitingReceiptsOf(receipts, groups, past)
  const [first, ...others] = groups.map((group, index): Run => {
    const isOfRun = ({ at }: HistoryEntry): boolean =>
      (index === groups.length - 1 || at <= endOf(group)) && (index === 0 || at > endOf(groups[index - 1]!))
    const ofRun = groups.length === 1 ? receipts : receipts.filter(isOfRun)
    const received = waiting.length === 0 ? ofRun : ofRun.filter((receipt) => !waiting.includes(receipt))
    const published = groups.length === 1 ? publications[0] : publications.find(isOfRun)
    const openRun = index === 0 ? past?.openRun ?? null : null
    return {
      attempts: group,
      receipts: received,
      firstAt: openRun?.firstAt ?? earliestOf([received[0], published, group[0]?.transitions[0]]) ?? null,
      openRun
    }
  })
  const runs: Runs = [first!, ...others]
  return waiting.length === 0
    ? runs
    : [...runs, { attempts: [], receipts: waiting, firstAt: waiting[0]!.at, openRun: null }]
}

const hasReceiptAfter = (entries: ReadonlyArray<HistoryEntry>, end: HistoryEntry | null): boolean =>
  end !== null && entries.some(({ at, kind }) => kind === "task.received" && at > end.at)

/** An attempt that follows one with a final end begins a run. */
const groupAttempts = (attempts: ReadonlyArray<Attempt>): ReadonlyArray<ReadonlyArray<Attempt>> => {
  const groups: Array<Array<Attempt>> = [[]]
  attempts.forEach((attempt, index) => {
    groups.at(-1)!.push(attempt)
    if (index < attempts.length - 1 && isFinal(attempt)) groups.push([])
  })
  return groups
}

/** Whether the attempt ended, and the engine does not retry it. */
const isFinal = ({ endEntry, retryEntry }: Attempt): boolean =>
  endEntry !== null && !(endEntry.kind === "task.failed" && retryEntry !== null && retryEntry.at >= endEntry.at)

/** The final end of a run that is not the latest. */
const endOf = (attempts: ReadonlyArray<Attempt>): Timestamp => attempts.at(-1)!.endEntry!.at

const noReceipts: ReadonlyArray<HistoryEntry> = []

/**
 * The receipts of a run that has not started: after the end of the latest run, and so much later that they are no late
 * report of its own receipt. Celery's publication of a retry is none, and without a receipt of its own before its end a
 * run may own a later one, by the clock of another host.
 */
const waitingReceiptsOf = (
  receipts: ReadonlyArray<HistoryEntry>,
  groups: ReadonlyArray<ReadonlyArray<Attempt>>,
  past: History["past"]
): ReadonlyArray<HistoryEntry> => {
  const last = groups.at(-1)?.at(-1)
  const newest = receipts.at(-1)
  if (newest === undefined || last === undefined || last.endEntry === null || !isFinal(last)) return noReceipts
  const endedAt = last.endEntry.at
  if (newest.at <= endedAt) return noReceipts
  const begunAt = groups.length === 1 ? "" : endOf(groups[groups.length - 2]!)
  const hasOwn = (groups.length === 1 && (past?.openRun?.receivedAt ?? null) !== null) ||
    receipts.some(({ at }) => at > begunAt && at <= endedAt)
  if (!hasOwn) return noReceipts
  const from = addSeconds(endedAt, REPORTS_WITHIN_SECONDS)
  return receipts.filter((receipt) =>
    receipt.at > from && !receipt.republished && eventSourceOf(receipt.name) === NAMED_EVENTS
  )
}

/** The entries of the named path if there are any, else those of the unknown path. */
const entriesOfKind = (
  entries: ReadonlyArray<HistoryEntry>,
  kind: "task.received" | "task.sent"
): ReadonlyArray<HistoryEntry> => {
  const all = entries.filter((entry) => entry.kind === kind)
  if (all.length === 0) return noReceipts
  const named = all.filter((entry) => eventSourceOf(entry.name) === NAMED_EVENTS)
  return named.length > 0 ? named : all
}

const earliestOf = (counted: ReadonlyArray<HistoryEntry | undefined>): Timestamp | undefined =>
  counted.reduce<Timestamp | undefined>(
    (least, entry) => (entry !== undefined && (least === undefined || entry.at < least) ? entry.at : least),
    undefined
  )

/** When the run was received first; null: unknown. */
export const receivedAtOf = ({ openRun, receipts }: Run): Timestamp | null =>
  openRun?.receivedAt ?? receipts[0]?.at ?? null

/** The start of the run's first attempt; null: unknown. */
export const firstStartOf = ({ attempts, openRun }: Run): Timestamp | null =>
  openRun === null ? attempts[0]?.startEntry?.at ?? null : openRun.startedAt

/** How a run that is not the latest ended. */
export interface RunEnd {
  readonly outcome: TaskState
  readonly at: Timestamp
  /** Null: unknown. */
  readonly worker: string | null
  /** As its end reports it, else the time from the last start to the end; null where clocks disagree. */
  readonly runtimeMillis: number | null
}

/** The end of a run that is not the latest. */
export const endOfRun = ({ attempts }: Run): RunEnd => {
  const { endEntry, startEntry } = attempts.at(-1)!
  return {
    outcome: STATE_AFTER[endEntry!.kind],
    at: endEntry!.at,
    worker: endEntry!.worker ?? startEntry?.worker ?? null,
    runtimeMillis: readRuntime(reportedRuntimeOf(endEntry!)) ?? measureRuntime(startEntry, endEntry!)
  }
}

/** The `runtime_ms` of an entry, as it was reported; null: none. */
export const reportedRuntimeOf = ({ rest }: HistoryEntry): string | null => {
  if (!rest.includes("\"runtime_ms\":")) return null
  const json = membersOf(rest).find(([key]) => key === "runtime_ms")?.[1] ?? ""
  return Number(json) >= 0 && json !== "" ? json : null
}

/** Longer runtimes are impossible: tasks run in the years from 2000 to 2199. */
const MAX_RUNTIME_MILLIS = 200 * 366 * 86_400_000

/** The reported runtime in whole milliseconds. */
export const readRuntime = (reported: string | null): number | null => {
  const millis = reported === null ? NaN : Math.round(Number(reported))
  return millis >= 0 && millis <= MAX_RUNTIME_MILLIS ? millis : null
}

/** The time from start to end. Null where disagreeing clocks would give a negative runtime. */
export const measureRuntime = (started: HistoryEntry | null, ended: HistoryEntry): number | null => {
  const micros = started === null ? -1 : microsOf(ended) - microsOf(started)
  return micros < 0 ? null : Math.round(micros / 1000)
}
