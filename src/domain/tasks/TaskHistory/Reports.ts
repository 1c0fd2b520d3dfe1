import type { TaskEventKind } from "../../kernel/TaskState.ts"
import { BROKER_EVENTS, eventSourceOf, type History } from "./History.ts"

/** Whether the unknown path has reported the task: a transition may come twice. */
export const hasTwoPaths = ({ entries }: History): boolean =>
  entries.some(({ name }) => eventSourceOf(name) === BROKER_EVENTS)

/**
 * How often one source alone has reported the kind: the named path, or on the unknown path the process that reported it
 * most often for each worker, summed over the workers. More events never make it smaller, since nothing is paired.
 */
export const countReports = ({ entries }: History, kind: TaskEventKind): number => {
  const byReporter = new Map<string, number>()
  const byWorker = new Map<string, number>()
  let named = 0
  for (const entry of entries) {
    if (entry.kind !== kind) continue
    if (eventSourceOf(entry.name) !== BROKER_EVENTS) {
      named++
      continue
    }
    const worker = entry.worker ?? ""
    const key = `${worker}\0${entry.reporter}`
    const reports = (byReporter.get(key) ?? 0) + 1
    byReporter.set(key, reports)
    byWorker.set(worker, Math.max(byWorker.get(worker) ?? 0, reports))
  }
  const withoutWorker = byWorker.get("") ?? 0
  let ofWorkers = -withoutWorker
  for (const reports of byWorker.values()) ofWorkers += reports
  return Math.max(named, withoutWorker, ofWorkers) // an event without a worker can be another one's copy
}
