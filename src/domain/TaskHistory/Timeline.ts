/** A task's timeline: one entry for each thing that happened, however many paths and agents told it. */
import { canonical, JsonObject, parse } from "../CanonicalJson.ts"
import type { TaskEventKind } from "../TaskState.ts"
import type { Timestamp } from "../Timestamp.ts"
import { analyse } from "./Attempts.ts"
import { isTransition } from "./Copies.ts"
import { type Entry, type History, NAMED, pathOf } from "./History.ts"

/** One event of a task's timeline; `payload` is the text of a JSON object. */
export interface TimelineEvent {
  readonly id: string
  readonly kind: TaskEventKind
  readonly occurredAt: Timestamp
  readonly agentId: string
  readonly payload: string
}

/**
 * Earliest first. The payload is the event's data without its big fields and without nulls, and what only a copy of
 * the event tells.
 */
export const timeline = (history: History): ReadonlyArray<TimelineEvent> => {
  const { counted, original } = analyse(history)
  const shown = new Map<Entry, Array<Entry>>(counted.map((entry) => [entry, []]))
  const named = new Set(history.entries.filter(isNamed).map(({ kind }) => kind))
  for (const entry of history.entries) {
    if (isTransition(entry.kind)) {
      const of = original(entry)
      if (of !== entry) shown.get(of)?.push(entry)
    } else if (isNamed(entry) || !named.has(entry.kind)) {
      shown.set(entry, [])
    }
  }
  return history.entries.flatMap((entry) => {
    const copies = shown.get(entry)
    return copies === undefined ? [] : [{
      id: entry.id,
      kind: entry.kind,
      occurredAt: entry.at,
      agentId: entry.agentId,
      payload: payloadOf(entry, copies)
    }]
  })
}

const isNamed = ({ name }: Entry): boolean => pathOf(name) === NAMED

const payloadOf = (entry: Entry, copies: ReadonlyArray<Entry>): string => {
  const { name, rest } = entry
  const known = isNamed(entry) ? name : copies.find(isNamed)?.name ?? name
  const worker = [entry, ...copies].find((one) => one.worker !== null)?.worker ?? null
  const members = [`"task_name":${JSON.stringify(known)}`]
  if (worker !== null) members.push(`"worker":${JSON.stringify(worker)}`)
  if (rest !== "") members.push(rest)
  for (const more of onlyIn(copies, rest)) members.push(more)
  return `{${members.join(",")}}`
}

/** Members that the copies tell and the event does not, each of the first copy that has it. */
const onlyIn = (copies: ReadonlyArray<Entry>, rest: string): ReadonlyArray<string> => {
  if (copies.every((copy) => copy.rest === "")) return []
  const told = new Set(membersOf(rest).map(([key]) => key))
  return copies.flatMap((copy) =>
    membersOf(copy.rest).flatMap(([key, json]) => {
      if (told.has(key)) return []
      told.add(key)
      return [`${JSON.stringify(key)}:${json}`]
    })
  )
}

/** The members of an entry's `rest`, each with its JSON text. */
const membersOf = (rest: string): ReadonlyArray<readonly [key: string, json: string]> => {
  const node = parse(`{${rest}}`)
  return node instanceof JsonObject ? node.keys.map((key) => [key, canonical(node.get(key) ?? "null")]) : []
}
