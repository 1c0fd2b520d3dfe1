import type { DifferenceField, TaskComparison } from "../Difference.ts"
import { readLeaves } from "./Leaves.ts"
import type { PropertyCount } from "./Rank.ts"

/** What tasks are compared by, as stored; `args` and `kwargs` are JSON texts, null where they are not compared. */
export interface TaskProperties {
  readonly worker_name: string | null
  readonly queue: string | null
  /** When it started; of a task that did not, when it was received. */
  readonly started: string
  /** The version that was deployed last at its start. */
  readonly version: string | null
  readonly runtime_ms: number | null
  readonly args: string | null
  readonly kwargs: string | null
}

const randomPartOf = (id: string): string => id.slice(-12)

/**
 * At most so many of the ids (UUIDv7), chosen by their random digits: tasks that workers take in turn, or a schedule submits
 * at regular times, would be missed by every n-th of them.
 */
export const pickSample = (ids: ReadonlyArray<string>, max: number): ReadonlyArray<string> =>
  ids.length <= max ? ids : ids.toSorted((a, b) => (randomPartOf(a) < randomPartOf(b) ? -1 : 1)).slice(0, max)

/** Distinct properties that are counted; further ones are not. */
const maxProperties = 20_000
/** With fewer run times of successes, the longest of them says little. */
const minRuntimes = 20

type Side = "failures" | "successes"
type OpenCount = { -readonly [Field in keyof PropertyCount]: PropertyCount[Field] }

/** Counts how many tasks of each side have each property. The failures come first: what none of them has is not counted. */
export class PropertyCounter {
  private readonly counts = new Map<string, OpenCount>()
  private readonly runtimes: Record<Side, Array<number>> = { failures: [], successes: [] }
  private readonly comparesTimes: boolean

  /** Hours and versions are counted only if the two sides are of the same time. */
  constructor(comparesTimes: boolean) {
    this.comparesTimes = comparesTimes
  }

  addTask(side: Side, task: TaskProperties): void {
    if (task.worker_name !== null) this.add(side, "worker", null, task.worker_name)
    if (task.queue !== null) this.add(side, "queue", null, task.queue)
    if (this.comparesTimes) {
      this.add(side, "hour", null, `${task.started.slice(11, 13)}:00`)
      if (task.version !== null) this.add(side, "version", null, task.version)
    }
    if (task.runtime_ms !== null) this.runtimes[side].push(task.runtime_ms)
    for (const [path, value] of readLeaves(task)) {
      this.add(side, "argument", path, value)
      this.add(side, "argument", path, null)
    }
  }

  list(): ReadonlyArray<PropertyCount> {
    return [...this.counts.values(), ...this.longRuns()]
  }

  private add(side: Side, field: DifferenceField, path: string | null, value: string | null): void {
    const key = JSON.stringify([field, path, value])
    const count = this.counts.get(key)
    if (count !== undefined) count[side]++
    else if (side === "failures" && this.counts.size < maxProperties) {
      this.counts.set(key, { field, path, value, failures: 1, successes: 0 })
    }
  }

  /** The tasks that ran longer than 95 % of the successes. */
  private longRuns(): ReadonlyArray<PropertyCount> {
    const { failures, successes } = this.runtimes
    if (successes.length < minRuntimes) return []
    const p95 = successes.toSorted((a, b) => a - b)[Math.floor(successes.length * 0.95)] ?? 0
    const isLonger = (millis: number) => millis > p95
    return [{
      field: "run_time",
      path: null,
      value: String(p95),
      failures: failures.filter(isLonger).length,
      successes: successes.filter(isLonger).length
    }]
  }
}

/** A run time differs from that of the success by this factor at least. */
const runtimeFactor = 2
const maxListed = 100

/** What differs between a task and one that succeeded. */
export const compareTasks = (task: TaskProperties, success: TaskProperties): TaskComparison["differences"] => {
  const found: Array<TaskComparison["differences"][number]> = []
  const add = (field: DifferenceField, path: string | null, ours: string | null, other: string | null) => {
    if (ours !== other) found.push({ field, path, task: ours, success: other })
  }
  add("worker", null, task.worker_name, success.worker_name)
  add("queue", null, task.queue, success.queue)
  add("version", null, task.version, success.version)
  const [ours, other] = [task.runtime_ms, success.runtime_ms]
  if (ours !== null && other !== null && (ours > other * runtimeFactor || other > ours * runtimeFactor)) {
    add("run_time", null, String(ours), String(other))
  }
  const [own, others] = [readLeaves(task), readLeaves(success)]
  for (const path of new Set([...own.keys(), ...others.keys()])) {
    add("argument", path, own.get(path) ?? null, others.get(path) ?? null)
  }
  return found.slice(0, maxListed)
}
