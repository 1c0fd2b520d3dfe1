import { type Queue, Queue as BullQueue, type Worker } from "bullmq"
import { Effect, Queue as WorkQueue, type Scope } from "effect"
import { hostname } from "node:os"
import { type Engine, EngineRefused, type ReportEvent } from "../../runtime/Engine.ts"
import { isOnRedis } from "./Backend.ts"
import { close, refuse } from "./Broker.ts"
import { type EngineContext, makeEngineContext } from "./EngineContext.ts"
import { FlowRoots } from "./FlowRoots.ts"
import type { BesideOptions as InProcessOptions } from "./Options.ts"
import { queueEngine } from "./QueueEngine.ts"
import { watchFlows, watchQueue } from "./QueueWatch.ts"
import { makeRelay, type SendRequest } from "./Relay.ts"
import { makeHandler, workerActions } from "./WorkerActions.ts"
import type { RunInBackground } from "./WorkerReporter.ts"
import { WorkerWatch } from "./WorkerWatch.ts"

/**
 * The engine beside an application's workers and queues, in their process. It listens to them, so events cost no
 * request to Redis, and it supports all of BullMQ's operations. The application keeps and closes its objects.
 */
export const bullmq = ({ flows = [], logs = true, queues = [], workers = [] }: InProcessOptions): Engine => {
  const context = makeEngineContext(logs)
  let watches: ReadonlyArray<WorkerWatch> = []
  let askOthers: SendRequest = () => refuse("the agent has not started yet")
  const handle = makeHandler(() => watches)
  const request: SendRequest = (workerRequest) => handle(workerRequest) ?? askOthers(workerRequest)

  const start = Effect.fnUntraced(function*(report: ReportEvent) {
    yield* checkOptions(workers, queues)
    const clock = yield* Effect.clock
    context.report = report
    context.now = () => clock.unsafeCurrentTimeMillis()
    yield* Effect.addFinalizer(() => Effect.sync(() => context.output.close()))
    yield* openQueues(context, workers, queues)
    const defer = yield* makeBackgroundQueue
    const roots = new FlowRoots()
    for (const queue of context.queues.values()) yield* acquireWatch(() => watchQueue(queue, context))
    for (const producer of flows) yield* acquireWatch(() => watchFlows(producer, context))
    watches = yield* Effect.forEach(
      workers,
      (worker, index) =>
        acquireWatch(() => new WorkerWatch(worker, workerNameOf(workers, index), context, roots, defer))
    )
    const { opts } = workers[0] ?? queues[0]!
    askOthers = yield* makeRelay(opts.connection, prefixOf(workers[0] ?? queues[0]!), handle)
  })

  const engine = queueEngine(
    context,
    Effect.sync(() => watches.map((watch) => watch.inventory())),
    ({ name: queue }, jobId) => request({ action: "cancel_job", queue, jobId })
  )
  return {
    ...engine,
    start,
    actions: { ...engine.actions, ...(workers.length > 0 ? workerActions(request) : {}) }
  }
}

const prefixOf = ({ opts }: Queue | Worker): string | undefined => opts.prefix

const checkOptions = (
  workers: ReadonlyArray<Worker>,
  queues: ReadonlyArray<Queue>
): Effect.Effect<void, EngineRefused> => {
  const all = [...workers, ...queues]
  const refuseStart = (message: string) => Effect.fail(new EngineRefused({ message }))
  if (all.length === 0) return refuseStart("give the agent the app's BullMQ workers, queues or both")
  if (!all.every(isOnRedis)) {
    return refuseStart("the agent follows BullMQ on Redis; a queue or worker here keeps its jobs elsewhere")
  }
  const prefixes = new Set(all.map((one) => prefixOf(one) ?? "bull"))
  return prefixes.size === 1
    ? Effect.void
    : refuseStart(`one agent follows one prefix; here are ${[...prefixes].join(" and ")}: start an agent for each`)
}

/** Opens the queues that commands need for the workers, and closes them with the scope. */
const openQueues = Effect.fnUntraced(function*(
  context: EngineContext,
  workers: ReadonlyArray<Worker>,
  queues: ReadonlyArray<Queue>
) {
  yield* Effect.addFinalizer(() => Effect.sync(() => context.queues.clear()))
  for (const queue of queues) context.queues.set(queue.name, queue)
  for (const worker of workers) {
    if (context.queues.has(worker.name)) continue
    const prefix = prefixOf(worker)
    const { connection } = worker.opts
    const options = { connection, ...(prefix === undefined ? {} : { prefix }), skipMetasUpdate: true }
    const queue = yield* Effect.acquireRelease(
      Effect.sync(() => new BullQueue(worker.name, options)),
      close
    )
    queue.on("error", () => undefined) // Redis is away: the client reconnects, and the inventory shows it
    context.queues.set(queue.name, queue)
  }
})

/** Runs deferred work, one piece after the other. */
const makeBackgroundQueue: Effect.Effect<RunInBackground, never, Scope.Scope> = Effect.gen(function*() {
  const queue = yield* WorkQueue.unbounded<() => Promise<void>>()
  yield* WorkQueue.take(queue).pipe(
    Effect.flatMap((work) => Effect.ignore(Effect.timeout(Effect.tryPromise(work), "10 seconds"))),
    Effect.forever,
    Effect.forkScoped
  )
  return (work) => queue.unsafeOffer(work)
})

const acquireWatch = <A extends { readonly close: () => void }>(begin: () => A): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(begin), (watch) => Effect.sync(() => watch.close()))

/** A number distinguishes two workers of one name in a process. */
const workerNameOf = (workers: ReadonlyArray<Worker>, index: number): string => {
  const baseName = (worker: Worker | undefined) => worker?.opts.name ?? worker?.name
  const before = workers.slice(0, index).filter((worker) => baseName(worker) === baseName(workers[index])).length
  return `${baseName(workers[index])}-${process.pid}${before === 0 ? "" : `-${before + 1}`}@${hostname()}`
}
