import { Console, Deferred, Effect, Schedule } from "effect"
import cluster, { type Worker } from "node:cluster"
import { CliError } from "../program/Explain.ts"

/** A worker that still runs this long after SIGTERM is killed. */
const stopTimeout = "10 seconds"

const startFailed = new CliError({ message: "a worker exited before it was ready; its own error line says why" })

/** A worker exited. The loop below starts another. */
class WorkerDied extends Error {}

const awaitExit = (worker: Worker) =>
  Effect.async<string>((resume) => {
    if (worker.isDead()) return resume(Effect.succeed("exit"))
    worker.once("exit", (code, signal) => resume(Effect.succeed(signal ?? `exit code ${code}`)))
  })

/** The message of a ready worker to its supervisor. Listening alone does not mean ready. */
const readyMessage = "ready"

/** In a worker, reports readiness to the supervisor; elsewhere, does nothing. */
export const reportReady = Effect.sync(() => {
  // without the callback, the error of a dead supervisor would end this process
  cluster.worker?.process.send?.(readyMessage, undefined, undefined, () => {})
})

const awaitReady = (worker: Worker) =>
  Effect.async<void>((resume) => {
    worker.on("message", (message) => {
      if (message === readyMessage) resume(Effect.void)
    })
  })

/** The channel to a dead worker emits an error before its exit. Without a listener it would end this process. */
const fork = Effect.sync(() => cluster.fork().on("error", () => {}))

const stop = (worker: Worker) =>
  Effect.sync(() => worker.process.kill("SIGTERM")).pipe(
    Effect.zipRight(awaitExit(worker)),
    Effect.interruptible,
    Effect.timeoutOption(stopTimeout),
    Effect.zipRight(Effect.sync(() => worker.isDead() || worker.process.kill("SIGKILL")))
  )

/** Runs one worker. Fails with WorkerDied, or fails `started` when the slot's first worker was never ready. */
const runWorker = (slot: number, started: Deferred.Deferred<void, CliError>) =>
  Effect.acquireUseRelease(
    fork,
    (worker) =>
      Effect.gen(function*() {
        yield* Effect.fork(Effect.zipRight(awaitReady(worker), Deferred.succeed(started, void 0)))
        const exitReason = yield* awaitExit(worker)
        if (yield* Deferred.fail(started, startFailed)) return yield* startFailed // false when a worker of this slot was ready before
        yield* Console.error(`worker ${slot} (process ${worker.process.pid}) died: ${exitReason}; starting another`)
        return yield* Effect.fail(new WorkerDied())
      }),
    stop
  )

/** Retries forever, with back-off that starts again after a worker has run for 1 minute. */
const backOff = Schedule.exponential("250 millis").pipe(
  Schedule.union(Schedule.spaced("15 seconds")),
  Schedule.resetAfter("1 minute")
)

/**
 * `svc serve --workers N`: N processes on one port. The first starts alone, so that migrations run once and a failure to start is
 * reported once. A worker that dies later is replaced. An interrupt stops all of them.
 */
export const supervise = (workers: number) =>
  Effect.gen(function*() {
    const startSlot = (number: number) =>
      Effect.gen(function*() {
        const started = yield* Deferred.make<void, CliError>()
        yield* runWorker(number, started).pipe(
          Effect.retry({ schedule: backOff, while: (error) => error instanceof WorkerDied }),
          Effect.forkScoped
        )
        yield* Deferred.await(started)
      })
    for (let number = 1; number <= workers; number++) yield* startSlot(number)
    return yield* Effect.never
  }).pipe(Effect.parallelFinalizers, Effect.scoped)
