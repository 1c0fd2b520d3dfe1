/** A history as JSON text: the `history` column of a task. The text depends on the set of events alone. */
import { TaskEventKind } from "../TaskState.ts"
import type { Timestamp } from "../Timestamp.ts"
import type { Entry, Fact, History } from "./History.ts"

/** A kind is stored as its place in here. */
const KINDS: ReadonlyArray<TaskEventKind> = TaskEventKind.literals

const VERSION = 1
const NONE = -1
const ENTRY_CELLS = 8
const FACT_CELLS = 4

/**
 * `[version, words, entries, facts]`. Words are the agents, names and workers, each once; entries and facts are rows of
 * 8 and 4 cells one after the other.
 */
type Encoded = [version: number, words: Array<string>, entries: Array<string | number>, facts: Array<string | number>]

export const encode = (history: History): string => {
  const encoded: Encoded = [VERSION, [], [], []]
  const [, words, entries, facts] = encoded
  const word = (text: string | null): number => {
    if (text === null) return NONE
    const known = words.indexOf(text)
    return known >= 0 ? known : words.push(text) - 1
  }
  for (const { agentId, at, id, kind, name, republished, rest, worker } of history.entries) {
    entries.push(id, KINDS.indexOf(kind), at, word(agentId), word(name), word(worker), republished ? 1 : 0, rest)
  }
  history.facts.forEach((fact, slot) => {
    if (fact === undefined) return
    facts.push(slot, history.entries.indexOf(fact.entry), fact.value, fact.id === fact.entry.id ? "" : fact.id)
  })
  return JSON.stringify(encoded)
}

/** Throws for a text that `encode` did not write: only a damaged database has one. */
export const decode = (text: string): History => {
  // The type is a promise of `encode`; checking each cell would cost more than the fold.
  const [version, words, rows, values]: Encoded = JSON.parse(text)
  if (version !== VERSION) throw new Error(`unknown form of task history: ${version}`)
  const entries: Array<Entry> = []
  for (let at = 0; at < rows.length; at += ENTRY_CELLS) entries.push(entryAt(rows, at, words))
  const facts: Array<Fact | undefined> = []
  for (let at = 0; at < values.length; at += FACT_CELLS) {
    const entry = entries[Number(values[at + 1])]!
    facts[Number(values[at])] = { entry, value: String(values[at + 2]), id: String(values[at + 3]) || entry.id }
  }
  return { entries, facts }
}

const entryAt = (rows: ReadonlyArray<string | number>, at: number, words: ReadonlyArray<string>): Entry => ({
  id: String(rows[at]),
  kind: KINDS[Number(rows[at + 1])]!,
  // The cast: `encode` wrote a Timestamp here.
  at: String(rows[at + 2]) as Timestamp,
  agentId: words[Number(rows[at + 3])]!,
  name: words[Number(rows[at + 4])]!,
  worker: words[Number(rows[at + 5])] ?? null,
  republished: rows[at + 6] === 1,
  rest: String(rows[at + 7])
})
