/**
 * Whether a worker has done what a command asked of it. Agents report success when the request is sent: Celery
 * broadcasts it, and workers do not confirm it. The worker's next report is the proof.
 */
import type { PoolReport } from "../../agents/Worker.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"

/** The worker that a command names, as it is now. */
export interface WorkerFacts extends PoolReport {
  readonly name: string
  readonly isOnline: boolean
  readonly queues: ReadonlyArray<string>
  /** `celery.concurrency.solo:TaskPool`; null where it reports none. */
  readonly implementation: string | null
  /** The time of the report; null: its agent describes no workers. */
  readonly described_at: Timestamp | null
  /** Its pool when the command was issued; null: unknown. */
  readonly before: PoolReport | null
}

/** A resize by 0, which the brain ends itself. */
export const emptyResizeNote = "The difference is 0: the pool was left as it is, and the worker was not asked."

interface WorkerCommand {
  readonly action: string
  /** JSON text. */
  readonly payload: string
  readonly completed_at: Timestamp | null
}

interface Parameters {
  readonly queue?: string
  readonly delta?: number
}

/** Pools that have a fixed size whatever they are asked. */
const fixedPools: Readonly<Record<string, string>> = { solo: "solo", thread: "threads" }

const fixedPoolOf = ({ implementation }: WorkerFacts): string | undefined =>
  fixedPools[/concurrency\.(\w+):/.exec(implementation ?? "")?.[1] ?? ""]

/** Null where the worker's report proves the outcome, or where nothing is known of the worker. */
export const writeWorkerNote = (
  { action, completed_at, payload }: WorkerCommand,
  worker: WorkerFacts
): string | null => {
  const { described_at, isOnline, name } = worker
  const { delta = 0, queue = "" }: Parameters = JSON.parse(payload) // the brain wrote it
  if (action === "rate_limit") {
    return "Workers do not report their rate limits: only the agent's answer says that the limit was asked for."
  }
  if (described_at === null || completed_at === null) return null
  // no report will show another size
  const isFixed = (action === "pool_grow" || action === "pool_shrink") && fixedPoolOf(worker) !== undefined
  if (isFixed) return writeResizeNote(action === "pool_grow" ? delta : -delta, worker)
  if (described_at <= completed_at) {
    return isOnline
      ? `The worker ${name} was asked; its next report will show whether it obeyed.`
      : `The worker ${name} was asked, and has not reported since: it is offline.`
  }
  switch (action) {
    case "pool_grow":
    case "pool_shrink":
      return writeResizeNote(action === "pool_grow" ? delta : -delta, worker)
    case "add_consumer":
      return worker.queues.includes(queue)
        ? null
        : `The worker ${name} was asked to consume ${queue}; its last report does not list that queue.`
    case "cancel_consumer":
      return worker.queues.includes(queue)
        ? `The worker ${name} was asked to stop consuming ${queue}; its last report still lists that queue.`
        : null
    case "restart_worker":
      return writeRestartNote(worker)
    default:
      return null
  }
}

const writeResizeNote = (delta: number, worker: WorkerFacts): string | null => {
  const { before, concurrency, name } = worker
  const fixed = fixedPoolOf(worker)
  const why = fixed === undefined
    ? ""
    : ` A ${fixed} pool cannot be resized: start the worker with another concurrency.`
  if (before === null || before.concurrency === null || concurrency === null) return why === "" ? null : why.trim()
  const wanted = before.concurrency + delta
  return concurrency === wanted
    ? null
    : `The worker ${name} was asked to have ${wanted} processes; its last report has ${concurrency}.${why}`
}

const writeRestartNote = ({ before, name, process_ids }: WorkerFacts): string | null => {
  const old = before?.process_ids ?? null
  if (old === null || process_ids === null || old.length === 0) return null
  return process_ids.some((pid) => old.includes(pid))
    ? `The worker ${name} was asked to restart its pool; its last report still has processes from before. ` +
      "Celery needs worker_pool_restarts = True for it."
    : null
}
