/**
 * The one model of a task's times, for its page, its tree and its timeline: it waits in its queue until its first start,
 * then each attempt runs, and between two attempts it waits for the next one (docs/attempts.md, "The attempts of a run").
 */
import type { Schemas } from "../api/client.ts"
import { isOver, type TaskState } from "./states.ts"

export type Attempt = Schemas["TaskAttempt"]

/** A task's detail, or a node of a tree. */
interface TimedTask extends Pick<Schemas["TaskTreeNode"], "state" | "received_at" | "started_at" | "finished_at"> {
  readonly runtime_ms?: number | null
  /** Null or absent: the first attempt is the first one of the list. */
  readonly first_started_at?: string | null
  /** Empty or absent: the only attempt is as the task itself. */
  readonly attempt_list?: ReadonlyArray<Attempt>
}

/** `queue`: until the first start. `gap`: until the next attempt. In milliseconds since 1970. */
export type Span =
  & { readonly from: number; readonly to: number }
  & (
    | { readonly kind: "queue" | "gap" }
    | { readonly kind: "attempt"; readonly state: TaskState; readonly exception: string | null }
  )

export interface TaskTimes {
  /** In order; none where no moment is known. */
  readonly spans: ReadonlyArray<Span>
  /** From the receipt to the first start, or until now while the task waits for it; null: not known. */
  readonly queueMillis: number | null
  /** The sum of the attempts' run times, until now for the one that runs; null: none is known. */
  readonly runMillis: number | null
  readonly attempts: number
}

const millisOf = (at: string | null | undefined): number | null =>
  at === null || at === undefined ? null : Date.parse(at)

/** The attempts of the latest run, each with its own state. */
export const attemptsOf = (task: TimedTask): ReadonlyArray<Attempt> => {
  const { attempt_list = [], finished_at, runtime_ms = null, started_at, state } = task
  if (attempt_list.length > 0 || started_at === null) return attempt_list
  return [{ number: 1, state, started_at, finished_at, runtime_ms, worker_name: null, exception: null }]
}

/** Null where the clocks of two hosts contradict each other. */
const between = (from: number | null, to: number | null): number | null =>
  from === null || to === null || to < from ? null : to - from

export const timesOf = (task: TimedTask, now: number): TaskTimes => {
  const attempts = attemptsOf(task)
  const received = millisOf(task.received_at)
  const firstStart = millisOf(task.first_started_at ?? attempts[0]?.started_at)
  const waitsUntil = firstStart ?? (isOver(task) ? millisOf(task.finished_at) : now)
  const spans: Array<Span> = []
  if (received !== null && waitsUntil !== null && waitsUntil >= received) {
    spans.push({ kind: "queue", from: received, to: waitsUntil })
  }
  let runMillis: number | null = null
  attempts.forEach((attempt, index) => {
    const { exception, state } = attempt
    const started = millisOf(attempt.started_at)
    const finished = millisOf(attempt.finished_at)
    const from = started ?? finished
    if (from === null) return
    const isRunning = state === "started"
    // an attempt that lost its worker has no end of its own: it is drawn until the next start
    const to = Math.max(from, finished ?? (isRunning ? now : millisOf(attempts[index + 1]?.started_at) ?? from))
    const before = spans.at(-1)
    if (before?.kind === "attempt" && before.to < from) spans.push({ kind: "gap", from: before.to, to: from })
    spans.push({ kind: "attempt", from, to, state, exception })
    const ran = attempt.runtime_ms ?? between(started, finished ?? (isRunning ? now : null))
    if (ran !== null) runMillis = (runMillis ?? 0) + ran
  })
  const last = spans.at(-1)
  if (
    last?.kind === "attempt" && last.state !== "started" && !isOver(task) && task.state !== "unknown" && last.to < now
  ) {
    spans.push({ kind: "gap", from: last.to, to: now })
  }
  const ends = firstStart ?? (isOver(task) ? null : now)
  return { spans, queueMillis: between(received, ends), runMillis, attempts: attempts.length }
}
