import type { SqlError } from "@effect/sql"
import { isStorable, toStorable } from "../../../domain/kernel/Text.ts"
import { type Timestamp, toEpochMillis } from "../../../domain/kernel/Timestamp.ts"
import { addTask } from "../../../domain/tasks/Failure/Fingerprint.ts"
import type { FailureChange, FoldResult, StoredTask, TaskRecord } from "../../../domain/tasks/Fold.ts"
import { contributionOf } from "../../../domain/tasks/Rollup/Contribution.ts"
import * as TaskHistory from "../../../domain/tasks/TaskHistory.ts"
import * as Ids from "../../kernel/Ids.ts"
import type { TaskGroup } from "./Grouping.ts"
import { countTaskEnds, findNewEnds, noTaskEnds } from "./TaskEnds.ts"

/** What the events of a group make of its task. */
export interface FoldedGroup extends FoldResult {
  readonly group: TaskGroup
}

/**
 * The task's new row, null when its events add nothing. Marks the group's events that cannot be stored; a second fold
 * with another stored task marks them again. Plain code: each event of a hot stream passes here.
 */
export const fold = (stored: StoredTask | undefined, group: TaskGroup, at: Timestamp): FoldedGroup | null => {
  try {
    return foldGroup(stored, group, at)
  } catch (cause) {
    throw new FoldError("a task's events cannot be folded", { cause })
  }
}

/** An event, or the stored history of its task, is at fault, and not the database. */
class FoldError extends Error {}

export const isFoldError = (error: SqlError.SqlError): boolean => error.cause instanceof FoldError

const foldGroup = (known: StoredTask | undefined, group: TaskGroup, at: Timestamp): FoldedGroup | null => {
  // the task was deleted while an agent was asked for its outcome
  if (known === undefined && group.events.every(({ kind }) => kind === "task.reconciled")) return null
  const history = known === undefined ? TaskHistory.emptyHistory() : TaskHistory.decode(known.history)
  const analysisBefore = known === undefined ? null : TaskHistory.analyse(history)
  const endsBefore = analysisBefore === null ? noEnds : TaskHistory.countEndsByWorker(history, analysisBefore)
  const failuresBefore = known === undefined || analysisBefore === null
    ? noFailures
    : failuresOf(group.engine, known.name, TaskHistory.listFailedAttempts(history, analysisBefore))
  const taskEndsBefore = known === undefined || analysisBefore === null
    ? noTaskEnds
    : countTaskEnds(history, analysisBefore, failuresBefore, known.state)
  const before = known === undefined || analysisBefore === null ? null : contributionOf(known, analysisBefore)
  let changed = false
  for (const event of group.events) {
    const applyResult = TaskHistory.addEvent(history, event)
    event.refusal = applyResult === "full" ? "too many events of one task" : null
    if (applyResult === "applied") changed = true
  }
  if (!changed) return null
  const { analysis, failures, fields, fingerprint, taskEnds } = readHistory(group.engine, history)
  // the next fold compares with what is stored, so what is dropped here stays counted
  const text = TaskHistory.encode(TaskHistory.compactHistory(history, analysis))
  return {
    group,
    agent_id: group.events[0]!.agentId,
    stored: known,
    row: rowOf(known, group, fields, fingerprint, text, at),
    ends: subtractEnds(endsBefore, TaskHistory.countEndsByWorker(history, analysis)),
    failures: subtractFailures(failuresBefore, failures),
    newEnds: findNewEnds(taskEndsBefore, taskEnds),
    before,
    after: contributionOf(fields, analysis)
  }
}

/** What a history with at least one event says about its task. */
export const readHistory = (engine: string, history: TaskHistory.History) => {
  const analysis = TaskHistory.analyse(history)
  const fields = TaskHistory.computeTaskFields(history, analysis)
  const failures = failuresOf(engine, fields.name, TaskHistory.listFailedAttempts(history, analysis))
  return {
    analysis,
    fields,
    failures,
    fingerprint: failures.at(-1)?.fingerprint ?? pastFingerprint(engine, fields.name, history),
    taskEnds: countTaskEnds(history, analysis, failures, fields.state)
  }
}

const pastFingerprint = (engine: string, name: string, { past }: TaskHistory.History): string | null =>
  past === null || past.failure === null ? null : addTask(engine, name, past.failure.signature)

/** Every property is written out: a spread costs more than the fold. */
const rowOf = (
  known: StoredTask | undefined,
  group: TaskGroup,
  fields: TaskHistory.TaskFields,
  fingerprint: string | null,
  history: string,
  at: Timestamp
): TaskRecord => ({
  id: known?.id ?? Ids.uuidv7(toEpochMillis(at)),
  project_id: group.project_id,
  engine: group.engine,
  task_id: group.task_id,
  name: fields.name,
  queue: fields.queue,
  state: fields.state,
  priority: fields.priority,
  args: fields.args,
  kwargs: fields.kwargs,
  result: fields.result,
  exception: toStorableOrNull(fields.exception),
  traceback: toStorableOrNull(fields.traceback),
  retry_count: fields.retry_count,
  eta: fields.eta,
  received_at: fields.received_at,
  started_at: fields.started_at,
  finished_at: fields.finished_at,
  runtime_ms: fields.runtime_ms,
  worker_name: fields.worker_name,
  parent_task_id: toStorableOrNull(fields.parent_task_id),
  root_task_id: toStorableOrNull(fields.root_task_id),
  tags: fields.tags.length === 0 ? "[]" : JSON.stringify(fields.tags),
  fingerprint,
  recovered_by: known?.recovered_by ?? null,
  first_event_at: fields.first_event_at,
  history,
  revision: (known?.revision ?? 0) + 1,
  created_at: at,
  updated_at: at
})

/** PostgreSQL refuses a NUL, and a message without it is better than none. Most texts are storable as they are. */
export const toStorableOrNull = (
  text: string | null
): string | null => (text === null || isStorable(text) ? text : toStorable(text))

export const noFailures: ReadonlyArray<never> = []

type Failure = Omit<FailureChange, "change">

const failuresOf = (
  engine: string,
  name: string,
  attempts: ReadonlyArray<TaskHistory.FailedAttempt>
): ReadonlyArray<Failure> =>
  attempts.length === 0
    ? noFailures
    : attempts.map(({ at, isLost, signature }) => ({ fingerprint: addTask(engine, name, signature), at, isLost }))

export const subtractFailures = (
  before: ReadonlyArray<Failure>,
  after: ReadonlyArray<Failure>
): ReadonlyArray<FailureChange> => {
  if (before.length === 0 && after.length === 0) return noFailures
  const removed = [...before]
  const changes: Array<FailureChange> = []
  for (const failure of after) {
    const index = removed.findIndex(({ at, fingerprint }) => at === failure.at && fingerprint === failure.fingerprint)
    if (index < 0) changes.push({ ...failure, change: 1 })
    else removed.splice(index, 1)
  }
  for (const failure of removed) changes.push({ ...failure, change: -1 })
  return changes
}

const noEnds: ReadonlyArray<TaskHistory.WorkerEnds> = []

const subtractEnds = (
  before: ReadonlyArray<TaskHistory.WorkerEnds>,
  after: ReadonlyArray<TaskHistory.WorkerEnds>
): ReadonlyArray<TaskHistory.WorkerEnds> => {
  if (before.length === 0) return after
  const changes: Array<TaskHistory.WorkerEnds> = []
  for (const worker of new Set([...before, ...after].map((ends) => ends.worker))) {
    const oldEnds = before.find((ends) => ends.worker === worker)
    const newEnds = after.find((ends) => ends.worker === worker)
    const more = {
      worker,
      processed: (newEnds?.processed ?? 0) - (oldEnds?.processed ?? 0),
      succeeded: (newEnds?.succeeded ?? 0) - (oldEnds?.succeeded ?? 0),
      failed: (newEnds?.failed ?? 0) - (oldEnds?.failed ?? 0),
      retried: (newEnds?.retried ?? 0) - (oldEnds?.retried ?? 0)
    }
    if (more.processed !== 0 || more.succeeded !== 0 || more.failed !== 0 || more.retried !== 0) changes.push(more)
  }
  return changes
}
