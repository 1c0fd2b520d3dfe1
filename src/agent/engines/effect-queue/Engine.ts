import { Effect } from "effect"
import { hostname } from "node:os"
import type { Engine, ReconcileOutcome } from "../../runtime/Engine.ts"
import { makeDeadLetterActions } from "./DeadLetterActions.ts"
import { type AnyQueue, makeLocalQueues, mapStoreError } from "./LocalQueues.ts"
import { makeTaskActions } from "./TaskActions.ts"
import type { Worker } from "./Worker.ts"
import { makeWorkerActions } from "./WorkerActions.ts"

const states = {
  pending: "pending",
  started: "started",
  success: "success",
  failure: "failure",
  cancelled: "failure"
} as const

const inventoryOf = ({ name }: AnyQueue, worker: Worker) => ({
  name: worker.name,
  hostname: hostname(),
  pid: process.pid,
  concurrency: worker.concurrency,
  queues: worker.isConsuming ? [name] : [],
  activeTasks: worker.running.size,
  activeTaskIds: [...worker.running.keys()],
  registered: []
})

/** The queues of this process as an engine for the agent. All queues of one engine share one store. */
export const engine = (queues: ReadonlyArray<AnyQueue>, options: { readonly name?: string } = {}): Engine => {
  const name = options.name ?? "effect-queue"
  const local = makeLocalQueues(queues)
  return {
    name,
    start: (report) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => queues.map((queue) => queue.listen(report))),
        (stops) => Effect.sync(() => stops.forEach((stop) => stop()))
      )),
    actions: { ...makeTaskActions(local, name), ...makeDeadLetterActions(local), ...makeWorkerActions(local) },
    retriesByReference: true,
    inventory: mapStoreError(Effect.gen(function*() {
      const depths: Record<string, number> = {}
      const pausedQueues: Array<string> = []
      for (const { name, records, ref } of queues) {
        depths[name] = yield* records.depth(ref)
        if (yield* records.isPaused(ref)) pausedQueues.push(name)
      }
      return {
        brokerType: queues[0]?.records.brokerType ?? "memory",
        brokerConnected: true,
        queueDepths: depths,
        pausedQueues,
        workers: queues.flatMap((queue) => [...queue.workers].map((worker) => inventoryOf(queue, worker)))
      }
    })),
    reconcile: (taskId) =>
      Effect.map(local.findTask(taskId), (found): ReconcileOutcome =>
        found === undefined
          ? { engine_state: "unknown", finished_at: null, exception: null }
          : {
            engine_state: states[found.record.state],
            finished_at: found.record.finishedAt,
            exception: found.record.state === "cancelled" ? "cancelled" : found.record.failure
          })
  }
}
