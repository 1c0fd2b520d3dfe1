/** A task's times for people, as the dashboard shows them (docs/attempts.md, "The attempts of a run"). */
import type { TaskDetail } from "../../domain/tasks/Task.ts"
import { type Column, formatTable, type View } from "../io/Table.ts"

type Task = typeof TaskDetail.Type

/** Until the first start; null where it is not known, or where clocks contradict each other. */
export const formatQueueTime = ({ first_started_at, received_at }: Task): string | null => {
  const millis = first_started_at === null || received_at === null
    ? -1
    : Date.parse(first_started_at) - Date.parse(received_at)
  return millis < 0 ? null : `${millis} ms`
}

/** Of all attempts that have ended. */
export const formatRunTime = ({ attempt_list, runtime_ms }: Task): string | null => {
  if (attempt_list.length < 2) return runtime_ms === null ? null : `${runtime_ms} ms`
  const runtimes = attempt_list.flatMap((attempt) => attempt.runtime_ms ?? [])
  return runtimes.length === 0
    ? null
    : `${runtimes.reduce((sum, millis) => sum + millis, 0)} ms in ${attempt_list.length} attempts`
}

const columns: ReadonlyArray<Column<Task["attempt_list"][number]>> = [
  { head: "ATTEMPT", cell: ({ number }) => number },
  { head: "STATE", cell: ({ state }) => state },
  { head: "STARTED", cell: ({ started_at }) => started_at },
  { head: "FINISHED", cell: ({ finished_at }) => finished_at, dropRank: 2 },
  { head: "MS", cell: ({ runtime_ms }) => runtime_ms },
  { head: "WORKER", cell: ({ worker_name }) => worker_name, dropRank: 1, hidesEmpty: true },
  { head: "ERROR", cell: ({ exception }) => exception, maxLength: 60, minLength: 10, hidesEmpty: true }
]

/** The attempts where there are several. */
export const formatAttempts = ({ attempt_list }: Task, view: View): ReadonlyArray<string> =>
  attempt_list.length < 2 ? [] : [formatTable(columns, attempt_list, view)]
