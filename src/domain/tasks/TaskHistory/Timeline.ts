import type { AgentId } from "../../kernel/Id.ts"
/** A task's timeline: one entry for each transition, however many paths and agents reported it. */
import type { TaskEventKind } from "../../kernel/TaskState.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import { analyseHistory } from "./Analysis.ts"
import { isTransition } from "./Deduplication.ts"
import { eventSourceOf, type History, type HistoryEntry, NAMED_EVENTS } from "./History.ts"
import { membersOf } from "./Members.ts"

/** One event of a task's timeline; `payload` is the text of a JSON object. */
export interface TimelineEvent {
  readonly id: string
  readonly kind: TaskEventKind
  readonly occurredAt: Timestamp
  readonly agentId: AgentId
  readonly payload: string
}

/**
 * Earliest first. The payload is the event's data without its large fields and nulls, together with members that only a
 * copy of the event has.
 */
export const buildTimeline = (history: History): ReadonlyArray<TimelineEvent> => {
  const { distinctEntries, original } = analyseHistory(history)
  const duplicatesByEntry = new Map<HistoryEntry, Array<HistoryEntry>>(distinctEntries.map((entry) => [entry, []]))
  const named = new Set(history.entries.filter(isOnNamedPath).map(({ kind }) => kind))
  for (const entry of history.entries) {
    if (isTransition(entry.kind)) {
      const transition = original(entry)
      if (transition !== entry) duplicatesByEntry.get(transition)?.push(entry)
    } else if (isOnNamedPath(entry) || !named.has(entry.kind)) {
      duplicatesByEntry.set(entry, [])
    }
  }
  return history.entries.flatMap((entry) => {
    const copies = duplicatesByEntry.get(entry)
    return copies === undefined ? [] : [{
      id: entry.id,
      kind: entry.kind,
      occurredAt: entry.at,
      agentId: entry.agentId,
      payload: payloadOf(entry, copies)
    }]
  })
}

const isOnNamedPath = ({ name }: HistoryEntry): boolean => eventSourceOf(name) === NAMED_EVENTS

const payloadOf = (entry: HistoryEntry, copies: ReadonlyArray<HistoryEntry>): string => {
  const { name, rest } = entry
  const taskName = isOnNamedPath(entry) ? name : copies.find(isOnNamedPath)?.name ?? name
  const worker = [entry, ...copies].find((one) => one.worker !== null)?.worker ?? null
  const members = [`"task_name":${JSON.stringify(taskName)}`]
  if (worker !== null) members.push(`"worker":${JSON.stringify(worker)}`)
  if (rest !== "") members.push(rest)
  for (const more of extraMembersOf(copies, rest)) members.push(more)
  return `{${members.join(",")}}`
}

/** Members that the copies have and the event does not, each from the first copy that has it. */
const extraMembersOf = (copies: ReadonlyArray<HistoryEntry>, rest: string): ReadonlyArray<string> => {
  if (copies.every((copy) => copy.rest === "")) return []
  const seenKeys = new Set(membersOf(rest).map(([key]) => key))
  return copies.flatMap((copy) =>
    membersOf(copy.rest).flatMap(([key, json]) => {
      if (seenKeys.has(key)) return []
      seenKeys.add(key)
      return [`${JSON.stringify(key)}:${json}`]
    })
  )
}
