/** Actions on the workers of this process, and through the relay on those of others. */
import type { Worker } from "bullmq"
import { Effect, Fiber, Option, Schedule } from "effect"
import { ActionFailed, type Actions } from "../../runtime/Engine.ts"
import { canCancelJobs, interruptFetch } from "./Backend.ts"
import { read, refuse } from "./Broker.ts"
import type { RequestHandler, SendRequest, WorkerRequest } from "./Relay.ts"
import type { WorkerWatch } from "./WorkerWatch.ts"

/** Handles requests about these workers and their jobs. */
export const makeHandler = (watches: () => ReadonlyArray<WorkerWatch>): RequestHandler => (request) => {
  const watch = watches().find((watch) =>
    request.action === "cancel_job"
      ? watch.worker.name === request.queue && watch.isRunning(request.jobId)
      : watch.name === request.worker
  )
  return watch === undefined ? null : execute(watch, request)
}

const execute = Effect.fnUntraced(function*(watch: WorkerWatch, request: WorkerRequest) {
  const { name, worker } = watch
  switch (request.action) {
    case "cancel_job":
      return yield* cancelJob(watch, request.jobId)
    case "pool_resize": {
      const concurrency = worker.concurrency + request.delta
      if (concurrency < 1) return yield* refuse(`the worker runs ${worker.concurrency} at a time; the minimum is 1`)
      worker.concurrency = concurrency
      return { worker: name, delta: request.delta, concurrency }
    }
    case "restart_worker":
      return yield* restartWorker(watch)
    case "add_consumer":
    case "cancel_consumer":
      if (request.queue !== worker.name) {
        return yield* refuse(`a BullMQ worker has one queue; that of ${name} is ${worker.name}`)
      }
      yield* request.action === "add_consumer" ? resumeFetching(worker) : stopFetching(worker)
      return { worker: name, queue: worker.name }
  }
})

/** Longest wait for a processor that ignores its signal: an agent executes commands one after the other. */
const cancelTimeout = "2 seconds"

/** Aborts the job's processor and returns how it ended (agents' protocol, section 5.2). */
const cancelJob = Effect.fnUntraced(function*(watch: WorkerWatch, jobId: string) {
  const worker = watch.name
  if (!canCancelJobs(watch.worker)) return yield* refuse(CANNOT_CANCEL)
  const ended = yield* Effect.timeoutOption(Effect.promise(() => watch.cancel(jobId)), cancelTimeout)
  const runEnd = Option.getOrElse(ended, () => "open" as const)
  if (runEnd === null) {
    return yield* refuse(
      "the job runs, and its processor takes no abort signal (a third parameter), so nothing can end it"
    )
  }
  if (runEnd === "failed") return { terminated: true, worker }
  if (runEnd === "completed") return { terminated: false, noop: true, reason: RETURNED, worker }
  return { terminated: false, soft: true, note: STILL_RUNS, worker }
})

const CANNOT_CANCEL = "the job runs, and nothing can end it: BullMQ passes processors an abort signal since 5.64"
const RETURNED = "the job's processor was asked to stop and returned its result: the job has completed"
const STILL_RUNS = "asked to stop, still running: the job fails when its processor throws, and is not tried again; " +
  "it completes when its processor returns"

/**
 * Running jobs continue. After BullMQ's pause a waiting fetch would still take one more job; disconnecting its
 * connection ends the fetch.
 */
const stopFetching = (worker: Worker) =>
  read(async () => {
    await worker.pause(true)
    await interruptFetch(worker)
  })

/** BullMQ 5's `resume` returns no promise. */
const resumeFetching = (worker: Worker) => read(async () => worker.resume())

/**
 * Waits for the running jobs, which ends the worker's loop, and starts the loop again on a new connection. BullMQ
 * cannot reopen a closed worker, so the process itself stays.
 */
const restartWorker = Effect.fnUntraced(function*(watch: WorkerWatch) {
  const { name, worker } = watch
  if (worker.closing !== undefined) return yield* refuse("the worker is closed; only its app can make a new one")
  const running = watch.inventory().activeTasks
  yield* stopFetching(worker)
  const resume = Effect.suspend(() => worker.closing === undefined ? resumeFetching(worker) : Effect.void)
  // in the background, since jobs may be long; the worker resumes by itself
  const restartFiber = yield* Effect.forkDaemon(Effect.zipRight(awaitLoopEnd(worker), resume))
  if (running === 0) {
    const onTimeout = () =>
      new ActionFailed({
        message: "the worker did not stop within 10 seconds; it resumes by itself once it has",
        indeterminate: true
      })
    yield* Effect.timeoutFail(Fiber.join(restartFiber), { duration: "10 seconds", onTimeout })
    return { worker: name, restarted: true }
  }
  return { worker: name, restarted: false, waiting_for: running }
})

/** Polls until the worker's loop has ended; BullMQ has no event for it. */
const awaitLoopEnd = (worker: Worker) =>
  Effect.repeat(Effect.sync(() => worker.closing === undefined && worker.isRunning()), {
    while: (running) => running,
    schedule: Schedule.spaced("50 millis")
  })

type WorkerActions = Required<Pick<Actions, "restart_worker" | "pool_resize" | "add_consumer" | "cancel_consumer">>

export const workerActions = (request: SendRequest): WorkerActions => {
  const consumer = (action: "add_consumer" | "cancel_consumer"): WorkerActions["add_consumer"] =>
    Effect.fnUntraced(function*({ queue, worker_name: worker }) {
      return yield* request({ action, worker, queue })
    })
  return {
    restart_worker: ({ worker_name }) => request({ action: "restart_worker", worker: worker_name }),
    pool_resize: ({ delta, worker_name }) => request({ action: "pool_resize", worker: worker_name, delta }),
    add_consumer: consumer("add_consumer"),
    cancel_consumer: consumer("cancel_consumer")
  }
}
