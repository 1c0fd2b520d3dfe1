import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { FailureChange, TaskEnds, TaskRecord } from "../../../domain/tasks/Fold.ts"
import type { Occurrence, Trigger, TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import type { Interests } from "../../triggers/TriggerEvents/Interests.ts"
import type { FoldedGroup } from "./Fold.ts"

/** The triggers of a task's ends; columns of TaskEnds. */
const triggers = [
  ["task.failed", "failed"],
  ["task.retries_exhausted", "exhausted"],
  ["task.retried", "retried"],
  ["task.succeeded", "succeeded"],
  ["task.orphaned", "lost"]
] as const satisfies ReadonlyArray<readonly [Trigger, keyof TaskEnds]>

/** Characters of an exception's first line. */
const maxDetailLength = 300

/** The projects with tasks that ended, or whose attempt did: only their interests are read. */
export const projectsWithEnds = (folded: ReadonlyArray<FoldedGroup>): ReadonlyArray<ProjectId> => {
  const projectIds = new Set<ProjectId>()
  for (const { newEnds, row } of folded) if (newEnds !== null) projectIds.add(row.project_id)
  return [...projectIds]
}

/** A task of which attempts ended, and its row after that. */
export interface EndedTask extends Pick<FoldedGroup, "failures" | "newEnds"> {
  readonly row: Pick<
    TaskRecord,
    | "id"
    | "project_id"
    | "engine"
    | "task_id"
    | "name"
    | "queue"
    | "priority"
    | "exception"
    | "retry_count"
    | "started_at"
    | "finished_at"
    | "runtime_ms"
    | "worker_name"
    | "fingerprint"
    | "updated_at"
  >
}

/** What `makeTaskEvents` asks of a project's interests. */
type WantedTriggers = Pick<Interests, "hasTrigger" | "consumersOf">

type OpenEvent = TriggerEvent & { readonly occurrences: Array<Occurrence> }

/**
 * One event for the ends of one trigger that share project, condition, name, queue and priority. An end that is reported
 * again, or by a second path, is no new one.
 */
export const makeTaskEvents = (
  ended: ReadonlyArray<EndedTask>,
  interests: ReadonlyMap<ProjectId, WantedTriggers>
): ReadonlyArray<TriggerEvent> => {
  const events = new Map<string, OpenEvent>()
  for (const one of ended) {
    const { newEnds, row } = one
    const wanted = newEnds === null ? undefined : interests.get(row.project_id)
    if (newEnds === null || wanted === undefined) continue
    for (const [trigger, column] of triggers) {
      const times = newEnds[column]
      if (times === 0 || !wanted.hasTrigger(trigger)) continue
      const { engine, name, priority, queue } = row
      if (wanted.consumersOf({ trigger, engine, task_name: name, priority, queue }).length === 0) continue
      for (const end of endsOf(one, trigger, times)) addEnd(events, one, trigger, end)
    }
  }
  return [...events.values()]
}

interface End {
  readonly fingerprint: string | null
  readonly at: Timestamp
}

const endsOf = ({ failures, row }: EndedTask, trigger: Trigger, times: number): ReadonlyArray<End> => {
  const last = { fingerprint: null, at: row.finished_at ?? row.started_at ?? row.updated_at }
  if (trigger === "task.succeeded" || trigger === "task.retried") return Array.from({ length: times }, () => last)
  const isWanted = (failure: FailureChange) => failure.change > 0 && failure.isLost === (trigger === "task.orphaned")
  const failed: Array<End> = failures.filter(isWanted).slice(-times)
  while (failed.length < times) failed.push({ ...last, fingerprint: row.fingerprint })
  return failed
}

const addEnd = (events: Map<string, OpenEvent>, { row }: EndedTask, trigger: Trigger, end: End): void => {
  const { engine, name, priority, project_id, queue } = row
  const condition = end.fingerprint ?? `${engine} ${name}`
  const key = [project_id, trigger, condition, engine, name, queue, priority].join("\0")
  const isLatest = row.finished_at === null || end.at >= row.finished_at
  const occurrence: Occurrence = {
    occurred_at: end.at,
    task_id: row.task_id,
    worker: row.worker_name,
    detail: trigger === "task.succeeded" || !isLatest ? null : firstLine(row.exception),
    retry_count: row.retry_count,
    runtime_ms: isLatest ? row.runtime_ms : null
  }
  const known = events.get(key)
  if (known !== undefined) {
    known.occurrences.push(occurrence)
    return
  }
  events.set(key, {
    project_id,
    trigger,
    condition,
    engine,
    task_name: name,
    queue,
    priority,
    fingerprint: end.fingerprint,
    subject: { type: "task", id: row.id, name },
    occurrences: [occurrence]
  })
}

const firstLine = (text: string | null): string | null =>
  text === null ? null : (text.slice(0, maxDetailLength).split(/[\r\n]/, 1)[0] ?? "").toWellFormed()
