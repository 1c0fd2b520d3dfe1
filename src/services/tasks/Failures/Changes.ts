import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import { isOpenFailure } from "../../../domain/tasks/Failure/Group.ts"
import { minuteOf } from "../../../domain/tasks/FailureRate.ts"
import type { FoldResult } from "../../../domain/tasks/Fold.ts"
import { startOf } from "../Rollups/Cells.ts"
import { type Level, levels } from "../Rollups/Series.ts"
import { type CountUpdate, type GroupUpdate, unseen } from "./GroupSql.ts"

/** The changes of a group, and the agent that reported one of them. */
export interface ReportedGroup extends GroupUpdate {
  readonly agent_id: AgentId
}

export interface GroupChanges {
  readonly groups: ReadonlyArray<ReportedGroup>
  readonly counts: ReadonlyArray<CountUpdate>
}

type Draft = { -readonly [Field in keyof ReportedGroup]: ReportedGroup[Field] }

type DraftCount = { -readonly [Field in keyof CountUpdate]: CountUpdate[Field] }

const none: GroupChanges = { groups: [], counts: [] }

const allLevels: ReadonlyArray<Level> = Object.values(levels)

/**
 * What the folded tasks change in the failure groups: sums, extremes and differences of rows, so the result depends
 * neither on the order of the events nor on their grouping into transactions. In the order of the keys, so that two
 * replicas cannot deadlock. Most transactions have no failure and most tasks none, so these are passed quickly.
 */
export const collectGroupChanges = (folded: ReadonlyArray<FoldResult>): GroupChanges => {
  const groups = new Map<string, Draft>()
  const counts = new Map<string, DraftCount>()
  for (const result of folded) {
    const { row, stored } = result
    if (row.fingerprint === null && (stored?.fingerprint ?? null) === null && result.failures.length === 0) continue
    const draft = (fingerprint: string) => draftOf(groups, fingerprint, result)
    for (const { at, change, fingerprint } of result.failures) {
      const group = draft(fingerprint)
      group.occurrences += change
      if (change === 1) addOccurrence(group, at, result)
      const minute = minuteOf(at)
      for (const level of allLevels) {
        const bucket = startOf(minute, level)
        const key = [row.project_id, fingerprint, level, bucket].join(" ")
        const found = counts.get(key)
        if (found === undefined) {
          counts.set(key, { project_id: row.project_id, fingerprint, level, bucket, occurrences: change })
        } else found.occurrences += change
      }
    }
    if (stored !== undefined && stored.fingerprint !== null) addTask(draft(stored.fingerprint), stored, -1)
    if (row.fingerprint !== null) addTask(draft(row.fingerprint), row, 1)
  }
  if (groups.size === 0) return none
  return {
    groups: sortByKey(groups).filter(({ occurrences, open_count, recovered_count }) =>
      occurrences !== 0 || open_count !== 0 || recovered_count !== 0
    ),
    counts: sortByKey(counts).filter(({ occurrences }) => occurrences !== 0)
  }
}

const sortByKey = <A>(rows: ReadonlyMap<string, A>): ReadonlyArray<A> =>
  [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)

const draftOf = (groups: Map<string, Draft>, fingerprint: string, { agent_id, row }: FoldResult): Draft => {
  const key = `${row.project_id} ${fingerprint}`
  let draft = groups.get(key)
  if (draft === undefined) {
    draft = {
      project_id: row.project_id,
      fingerprint,
      engine: row.engine,
      task_name: row.name,
      sample_task_id: row.task_id,
      sample_exception: null,
      ...unseen,
      occurrences: 0,
      open_count: 0,
      recovered_count: 0,
      agent_id
    }
    groups.set(key, draft)
  }
  return draft
}

/** Characters of a sample's exception; the task has the rest. */
const maxExceptionLength = 500

const addOccurrence = (draft: Draft, at: string, { row }: FoldResult): void => {
  if (at < draft.first_seen_at) draft.first_seen_at = at
  const isNewer = at > draft.last_seen_at || (at === draft.last_seen_at && row.task_id < draft.sample_task_id)
  if (!isNewer) return
  draft.last_seen_at = at
  draft.sample_task_id = row.task_id
  draft.sample_exception = row.exception?.slice(0, maxExceptionLength).toWellFormed() ?? draft.sample_exception
}

/** A task that failed, and how it counts in its group. */
interface CountedTask {
  readonly state: string
  readonly recovered_by: string | null
}

const isOpen = ({ recovered_by, state }: CountedTask): boolean => recovered_by === null && isOpenFailure(state)

const hasRecovered = ({ recovered_by, state }: CountedTask): boolean =>
  state === "success" || (recovered_by !== null && isOpenFailure(state))

const addTask = (draft: Draft, task: CountedTask, change: 1 | -1): void => {
  if (hasRecovered(task)) draft.recovered_count += change
  else if (isOpen(task)) draft.open_count += change
}

/** The open tasks that a deletion takes from the groups; recovered tasks and occurrences remain counted. */
export const collectDeletedTasks = (
  projectId: ProjectId,
  deleted: ReadonlyArray<CountedTask & { readonly fingerprint: string | null }>
): ReadonlyArray<GroupUpdate> => {
  const openCounts = new Map<string, number>()
  for (const task of deleted) {
    if (task.fingerprint !== null && isOpen(task)) {
      openCounts.set(task.fingerprint, (openCounts.get(task.fingerprint) ?? 0) + 1)
    }
  }
  return [...openCounts].sort(([left], [right]) => (left < right ? -1 : 1)).map(([fingerprint, tasks]) => ({
    project_id: projectId,
    fingerprint,
    engine: "",
    task_name: "",
    sample_task_id: "",
    sample_exception: null,
    ...unseen,
    occurrences: 0,
    open_count: -tasks,
    recovered_count: 0
  }))
}
