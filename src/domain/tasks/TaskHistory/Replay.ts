/** A task's history as it was at the end of each attempt, rebuilt from what is stored today. */
import type { Timestamp } from "../../kernel/Timestamp.ts"
import { addEvent } from "../TaskHistory.ts"
import { isEnd } from "./Deduplication.ts"
import type { History, HistoryEntry } from "./History.ts"
import { membersOf } from "./Members.ts"

/** Ends of one task that are replayed; earlier ones are left out. A task may have hundreds of events. */
const maxEnds = 100

/** A point of a history after which an attempt starts, or the end of the history. */
interface AttemptBoundary {
  readonly length: number
  /** The time of the last end before it. */
  readonly endedAt: Timestamp
}

/**
 * The histories of a task at the ends of its attempts since `since`, in order, after the one before them, which may be
 * empty. Two in a row differ by the ends of one attempt, or of several whose starts were not reported.
 *
 * The exception of an attempt that is not the last one is as long as the timeline keeps it (docs/attempts.md).
 */
export const replayHistory = (
  whole: History,
  { engine, task_id }: { readonly engine: string; readonly task_id: string },
  since: Timestamp
): ReadonlyArray<History> => {
  const { entries } = whole
  const boundaries = listBoundaries(entries)
  const first = boundaries.findIndex(({ endedAt }) => endedAt >= since)
  if (first < 0) return []
  const previous = Math.max(first - 1, boundaries.length - 1 - maxEnds)
  const known = new Map(entries.map((entry) => [entry.id, entry]))
  const rebuilt: History = { entries: [], facts: [], past: null }
  let added = 0
  const historyOf = (length: number): History => {
    if (length === entries.length) return whole
    for (; added < length; added++) addEntry(rebuilt, engine, task_id, entries[added]!)
    return {
      entries: entries.slice(0, length),
      past: whole.past,
      facts: rebuilt.facts.map((fact) =>
        fact === undefined ? undefined : { ...fact, entry: known.get(fact.entry.id) ?? fact.entry }
      )
    }
  }
  const before: History = previous < 0
    ? { entries: [], facts: [], past: whole.past }
    : historyOf(boundaries[previous]!.length)
  return [before, ...boundaries.slice(previous + 1).map(({ length }) => historyOf(length))]
}

const closes = (entry: HistoryEntry): boolean =>
  isEnd(entry) || entry.kind === "task.retried" || entry.kind === "task.reconciled"

/** Before each start that follows an end, and at the end. */
const listBoundaries = (entries: ReadonlyArray<HistoryEntry>): ReadonlyArray<AttemptBoundary> => {
  const boundaries: Array<AttemptBoundary> = []
  let endedAt: Timestamp | null = null
  entries.forEach((entry, length) => {
    if (entry.kind === "task.started" && endedAt !== null) {
      boundaries.push({ length, endedAt })
      endedAt = null
    }
    if (closes(entry)) endedAt = entry.at
  })
  if (endedAt !== null) boundaries.push({ length: entries.length, endedAt })
  return boundaries
}

/** The event of an entry, with the data that the timeline keeps. */
const addEntry = (history: History, engine: string, taskId: string, entry: HistoryEntry): void => {
  const { agentId, at, id, kind, name, reporter, rest, worker } = entry
  const data = new Map<string, string>(membersOf(rest))
  data.set("task_name", JSON.stringify(name))
  if (worker !== null) data.set("worker", JSON.stringify(worker))
  addEvent(history, { id, kind, engine, taskId, occurredAt: at, agentId, reporter, data })
}
