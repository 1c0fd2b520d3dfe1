import { Console, Deferred, Effect, Schedule } from "effect"
import cluster, { type Worker } from "node:cluster"
import { Refused } from "./Explain.ts"

/** A worker that does not end within this after SIGTERM is killed. */
const stopTimeout = "10 seconds"

const startFailed = new Refused({ message: "a worker ended before it was ready; its own line says why" })

/** A worker that ended; the loop below starts another one. */
class WorkerDied extends Error {}

const awaitExit = (worker: Worker) =>
  Effect.async<string>((resume) => {
    if (worker.isDead()) return resume(Effect.succeed("exit"))
    worker.once("exit", (code, signal) => resume(Effect.succeed(signal ?? `exit code ${code}`)))
  })

/** What a worker sends to the process that supervises it. It listens before it is ready. */
const readyMessage = "ready"

/** In a worker, tells the supervising process that this one serves; elsewhere, does nothing. */
export const reportReady = Effect.sync(() => {
  // the callback takes the error of a supervisor that is gone, which would end this process otherwise
  cluster.worker?.process.send?.(readyMessage, undefined, undefined, () => {})
})

const awaitReady = (worker: Worker) =>
  Effect.async<void>((resume) => {
    worker.on("message", (message) => {
      if (message === readyMessage) resume(Effect.void)
    })
  })

/** The channel to a worker that is gone fails; its exit follows. Without a listener the error would end this process. */
const fork = Effect.sync(() => cluster.fork().on("error", () => {}))

const stop = (worker: Worker) =>
  Effect.sync(() => worker.process.kill("SIGTERM")).pipe(
    Effect.zipRight(awaitExit(worker)),
    Effect.interruptible,
    Effect.timeoutOption(stopTimeout),
    Effect.zipRight(Effect.sync(() => worker.isDead() || worker.process.kill("SIGKILL")))
  )

/** One worker's life. It ends with WorkerDied, or fails `started` when the slot's first worker never was ready. */
const runWorker = (slot: number, started: Deferred.Deferred<void, Refused>) =>
  Effect.acquireUseRelease(
    fork,
    (worker) =>
      Effect.gen(function*() {
        yield* Effect.fork(Effect.zipRight(awaitReady(worker), Deferred.succeed(started, void 0)))
        const exitReason = yield* awaitExit(worker)
        if (yield* Deferred.fail(started, startFailed)) return yield* startFailed // false when it was ready once
        yield* Console.error(`worker ${slot} (process ${worker.process.pid}) died: ${exitReason}; another one follows`)
        return yield* Effect.fail(new WorkerDied())
      }),
    stop
  )

/** Again and again: at once after a good run, more and more slowly when workers die young. */
const backOff = Schedule.exponential("250 millis").pipe(
  Schedule.union(Schedule.spaced("15 seconds")),
  Schedule.resetAfter("1 minute")
)

/**
 * `svc serve --workers N`: N processes on one port. The first one starts alone, so that it migrates and reports what
 * is wrong once; a worker that dies later is replaced. Ends all of them when it is interrupted.
 */
export const supervise = (workers: number) =>
  Effect.gen(function*() {
    const startSlot = (number: number) =>
      Effect.gen(function*() {
        const started = yield* Deferred.make<void, Refused>()
        yield* runWorker(number, started).pipe(Effect.retry({ schedule: backOff, while: (error) => error instanceof WorkerDied }), Effect.forkScoped)
        yield* Deferred.await(started)
      })
    for (let number = 1; number <= workers; number++) yield* startSlot(number)
    return yield* Effect.never
  }).pipe(Effect.parallelFinalizers, Effect.scoped)
