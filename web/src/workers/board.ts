import type { Schemas } from "../api/client.ts"
import type { Worker } from "./workers.ts"

export type RunningTask = Schemas["RunningTask"]

/** A line of the board: a worker with its slots, or a task that it runs. */
export type BoardLine =
  | {
    readonly kind: "worker"
    readonly key: string
    readonly engine: string
    /** null: the engine did not say which worker runs the tasks. */
    readonly name: string | null
    /** null: no worker of this name is known any more. */
    readonly worker: Worker | null
    /** How many tasks it runs; null: unknown, as not all are loaded. */
    readonly busy: number | null
  }
  | {
    readonly kind: "task"
    readonly key: string
    readonly task: RunningTask
    /** Its worker is known, and is not online: nobody knows whether the task still runs. */
    readonly isStale: boolean
  }

const keyOf = (engine: string, name: string | null) => `${engine}\n${name ?? ""}`

/** The workers with what they run: those whose task runs longest first, then the online ones that are idle. */
export const arrangeBoard = (
  tasks: ReadonlyArray<RunningTask>,
  workers: ReadonlyArray<Worker>,
  /** More tasks run than these. */
  isTruncated: boolean
): ReadonlyArray<BoardLine> => {
  const known = new Map(workers.map((worker) => [keyOf(worker.engine, worker.name), worker]))
  const groups = new Map<string, Array<RunningTask>>()
  for (const task of tasks) {
    const key = keyOf(task.engine, task.worker_name)
    groups.set(key, [...groups.get(key) ?? [], task])
  }
  const busy = [...groups].flatMap(([key, running]): ReadonlyArray<BoardLine> => {
    const [first] = running
    if (first === undefined) return []
    const worker = known.get(key) ?? null
    const isStale = worker !== null && worker.state !== "online"
    return [
      {
        kind: "worker",
        key,
        engine: first.engine,
        name: first.worker_name,
        worker,
        busy: isTruncated ? worker?.active_tasks ?? null : running.length
      },
      ...running.map((task): BoardLine => ({ kind: "task", key: task.id, task, isStale }))
    ]
  })
  const idle = workers.filter((worker) => worker.state === "online" && !groups.has(keyOf(worker.engine, worker.name)))
    .map((worker): BoardLine => ({
      kind: "worker",
      key: keyOf(worker.engine, worker.name),
      engine: worker.engine,
      name: worker.name,
      worker,
      busy: isTruncated ? worker.active_tasks : 0
    }))
  return [...busy, ...idle]
}
