import { Console, Deferred, Effect, Schedule } from "effect"
import cluster, { type Worker } from "node:cluster"
import { Refused } from "./Explain.ts"

/** A worker that does not end within this after SIGTERM is killed. */
const patience = "10 seconds"

const startFailed = new Refused({ message: "a worker ended before it was ready; its own line says why" })

/** A worker that ended; the loop below starts another one. */
class WorkerDied extends Error {}

const exited = (worker: Worker) =>
  Effect.async<string>((resume) => {
    if (worker.isDead()) return resume(Effect.succeed("exit"))
    worker.once("exit", (code, signal) => resume(Effect.succeed(signal ?? `exit code ${code}`)))
  })

const listens = (worker: Worker) =>
  Effect.async<void>((resume) => {
    worker.once("listening", () => resume(Effect.void))
  })

const stop = (worker: Worker) =>
  Effect.sync(() => worker.process.kill("SIGTERM")).pipe(
    Effect.zipRight(exited(worker)),
    Effect.interruptible,
    Effect.timeoutOption(patience),
    Effect.zipRight(Effect.sync(() => worker.isDead() || worker.process.kill("SIGKILL")))
  )

/** One worker's life. It ends with WorkerDied, or fails `ready` when the slot's first worker never listened. */
const life = (slot: number, ready: Deferred.Deferred<void, Refused>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => cluster.fork()),
    (worker) =>
      Effect.gen(function*() {
        yield* Effect.fork(Effect.zipRight(listens(worker), Deferred.succeed(ready, void 0)))
        const how = yield* exited(worker)
        if (yield* Deferred.fail(ready, startFailed)) return yield* startFailed // false when it was ready once
        yield* Console.error(`worker ${slot} (process ${worker.process.pid}) died: ${how}; another one follows`)
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
    const slot = (number: number) =>
      Effect.gen(function*() {
        const ready = yield* Deferred.make<void, Refused>()
        yield* life(number, ready).pipe(Effect.retry({ schedule: backOff, while: (error) => error instanceof WorkerDied }), Effect.forkScoped)
        yield* Deferred.await(ready)
      })
    for (let number = 1; number <= workers; number++) yield* slot(number)
    return yield* Effect.never
  }).pipe(Effect.parallelFinalizers, Effect.scoped)
