import type { AgentId } from "../../kernel/Id.ts"
/** A history as JSON text: the `history` column of a task. The text depends on the set of events alone. */
import { TaskEventKind } from "../../kernel/TaskState.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import { BROKER_EVENTS, eventSourceOf, type FieldValue, type History, type HistoryEntry } from "./History.ts"
import { decodePast, type DetachedFact, type EncodedPast, encodePast } from "./PastCodec.ts"

/** A kind is stored as its index in this list. */
const KINDS: ReadonlyArray<TaskEventKind> = TaskEventKind.literals

const VERSION = 1
const NONE = -1
const ENTRY_CELLS = 8
const FACT_CELLS = 4

/**
 * `[version, words, entries, facts, reporters, signatures, past]`. Words are the agents, names, workers, reporters and
 * signatures, each once; entries and facts are rows of 8 and 4 cells one after the other. `reporters` has a word for
 * each entry of the unknown path, `signatures` one for each failure, in the order of the entries; both are absent when
 * no entry has any, and `past` when no entry was dropped (`PastCodec.ts`). A program that does not know them ignores them.
 */
type EncodedHistory = [
  version: number,
  words: Array<string>,
  entries: Array<string | number>,
  facts: Array<string | number>,
  reporters?: Array<number>,
  signatures?: Array<number>,
  past?: EncodedPast
]

export const encodeHistory = (history: History): string => {
  const encoded: EncodedHistory = [VERSION, [], [], []]
  const [, words, entries, facts] = encoded
  const detached: Array<DetachedFact> = []
  const word = (text: string | null): number => {
    if (text === null) return NONE
    const known = words.indexOf(text)
    return known >= 0 ? known : words.push(text) - 1
  }
  for (const { agentId, at, id, kind, name, republished, rest, worker } of history.entries) {
    entries.push(id, KINDS.indexOf(kind), at, word(agentId), word(name), word(worker), republished ? 1 : 0, rest)
  }
  const unknown = history.entries.filter(isUnknown)
  if (unknown.some(({ reporter }) => reporter !== "")) encoded.push(unknown.map(({ reporter }) => word(reporter)))
  const failures = history.entries.filter(isFailure)
  if (failures.some(({ signature }) => signature !== "")) {
    encoded[4] ??= []
    encoded.push(failures.map(({ signature }) => word(signature)))
  }
  history.facts.forEach((fact, slot) => {
    if (fact === undefined) return
    const index = history.entries.indexOf(fact.entry)
    if (index < 0) detached.push([slot, fact])
    else facts.push(slot, index, fact.value, fact.id === fact.entry.id ? "" : fact.id)
  })
  if (history.past !== null) {
    encoded[4] ??= []
    encoded[5] ??= []
    encoded.push(encodePast(history.past, detached))
  }
  return JSON.stringify(encoded)
}

const isFailure = ({ kind }: Pick<HistoryEntry, "kind">): boolean => kind === "task.failed"

const isUnknown = ({ name }: Pick<HistoryEntry, "name">): boolean => eventSourceOf(name) === BROKER_EVENTS

/** Throws for a text that `encodeHistory` did not write: only a damaged database has one. */
export const decodeHistory = (text: string): History => {
  // `encodeHistory` guarantees the type; a check of each cell would cost more than the fold.
  const [version, words, rows, values, reporters = [], signatures = [], encodedPast]: EncodedHistory = JSON.parse(text)
  if (version !== VERSION) throw new Error(`unknown form of task history: ${version}`)
  const entries: Array<HistoryEntry> = []
  let unknown = 0
  let failures = 0
  for (let index = 0; index < rows.length; index += ENTRY_CELLS) {
    const name = words[Number(rows[index + 4])]!
    const reporter = isUnknown({ name }) ? words[reporters[unknown++] ?? NONE] ?? "" : ""
    const kind = KINDS[Number(rows[index + 1])]!
    const signature = isFailure({ kind }) ? words[signatures[failures++] ?? NONE] ?? "" : ""
    entries.push(entryAt(rows, index, words, kind, name, reporter, signature))
  }
  const facts: Array<FieldValue | undefined> = []
  for (let index = 0; index < values.length; index += FACT_CELLS) {
    const entry = entries[Number(values[index + 1])]!
    facts[Number(values[index])] = {
      entry,
      value: String(values[index + 2]),
      id: String(values[index + 3]) || entry.id
    }
  }
  if (encodedPast === undefined) return { entries, facts, past: null }
  const { detached, past } = decodePast(encodedPast)
  for (const [slot, fact] of detached) facts[slot] = fact
  return { entries, facts, past }
}

const entryAt = (
  rows: ReadonlyArray<string | number>,
  index: number,
  words: ReadonlyArray<string>,
  kind: TaskEventKind,
  name: string,
  reporter: string,
  signature: string
): HistoryEntry => ({
  id: String(rows[index]),
  kind,
  // the cast: `encodeHistory` wrote a Timestamp here
  at: String(rows[index + 2]) as Timestamp,
  agentId: words[Number(rows[index + 3])]! as AgentId, // the cast: `encodeHistory` wrote one here
  reporter,
  name,
  worker: words[Number(rows[index + 5])] ?? null,
  republished: rows[index + 6] === 1,
  rest: String(rows[index + 7]),
  signature
})
