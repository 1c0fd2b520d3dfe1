/** The dropped part of a history, as the last cell of its JSON text. */
import type { AgentId } from "../../kernel/Id.ts"
import { TaskEventKind, TaskState } from "../../kernel/TaskState.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import type { FieldValue, HistoryEntry, OpenRun, Past, PastRun } from "./History.ts"

/** A value whose entry was dropped, and its slot. */
export type DetachedFact = readonly [slot: number, fact: FieldValue]

type EncodedRun = [
  state: number,
  received_at: Timestamp | null,
  started_at: Timestamp | null,
  finished_at: Timestamp,
  attempts: number,
  retry_count: number,
  runtime_ms: number | null,
  worker_name: string | null,
  exception: string | null
]

type EncodedFact = [slot: number, entryId: string, kind: number, at: Timestamp, value: string, id: string]

export type EncodedPast = [
  horizon: Timestamp,
  runs: Array<EncodedRun>,
  earlierRunCount: number,
  openRun: OpenRun | null,
  name: string | null,
  failure: Past["failure"],
  facts: Array<EncodedFact>
]

export const encodePast = (past: Past, detached: ReadonlyArray<DetachedFact>): EncodedPast => [
  past.horizon,
  past.runs.map((run): EncodedRun => [
    TaskState.literals.indexOf(run.state),
    run.received_at,
    run.started_at,
    run.finished_at,
    run.attempts,
    run.retry_count,
    run.runtime_ms,
    run.worker_name,
    run.exception
  ]),
  past.earlierRunCount,
  past.openRun,
  past.name,
  past.failure,
  detached.map(([slot, { entry, id, value }]): EncodedFact => [
    slot,
    entry.id,
    TaskEventKind.literals.indexOf(entry.kind),
    entry.at,
    value,
    id
  ])
]

export const decodePast = (
  [horizon, runs, earlierRunCount, openRun, name, failure, facts]: EncodedPast
): { readonly past: Past; readonly detached: ReadonlyArray<DetachedFact> } => ({
  past: { horizon, runs: runs.map(decodeRun), earlierRunCount, openRun, name, failure },
  detached: facts.map(([slot, entryId, kind, at, value, id]): DetachedFact => [
    slot,
    { entry: droppedEntry(entryId, TaskEventKind.literals[kind]!, at), id, value }
  ])
})

const decodeRun = (
  [state, received_at, started_at, finished_at, attempts, retry_count, runtime_ms, worker_name, exception]: EncodedRun
): PastRun => ({
  state: TaskState.literals[state]!,
  received_at,
  started_at,
  finished_at,
  attempts,
  retry_count,
  runtime_ms,
  worker_name,
  exception
})

/** What a later value is compared with: the time, the kind and the id. */
const droppedEntry = (id: string, kind: TaskEventKind, at: Timestamp): HistoryEntry => ({
  id,
  kind,
  at,
  agentId: "" as AgentId, // the cast: the agent of a dropped entry is not read
  reporter: "",
  name: "",
  worker: null,
  republished: false,
  rest: "",
  signature: ""
})
