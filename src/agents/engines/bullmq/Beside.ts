import { type FlowProducer, Queue as BullQueue, type Queue, type Worker } from "bullmq"
import { Effect, Queue as Line, type Scope } from "effect"
import { hostname } from "node:os"
import { type Engine, EngineRefused, type Report } from "../../runtime/Engine.ts"
import { close, refuse } from "./Broker.ts"
import { listDeadLetters } from "./DeadLetters.ts"
import { inventoryOf } from "./Inventory.ts"
import { purgeQueue } from "./Purge.ts"
import { watchFlows, watchQueue } from "./QueueWatch.ts"
import { cancelTask, rateLimit, requeueDeadLetter, retryTask, submitTask } from "./QueueActions.ts"
import { reconcile } from "./Reconcile.ts"
import { type Ask, relay } from "./Relay.ts"
import { Roots } from "./Roots.ts"
import { schedulerOf } from "./Schedules.ts"
import { emptySite, type Site } from "./Site.ts"
import { handler, workerActions } from "./WorkerActions.ts"
import { type Later, watchWorker, type WorkerWatch } from "./WorkerWatch.ts"

export interface BesideOptions {
  /** The app's own workers, as it made them. */
  readonly workers?: ReadonlyArray<Worker>
  /** The app's own queues. For a worker whose queue is not among them the agent opens one. */
  readonly queues?: ReadonlyArray<Queue>
  /** The app's own producers of flows, so that their jobs are seen when they are added. */
  readonly flows?: ReadonlyArray<FlowProducer>
}

/**
 * The engine beside an app's own workers and queues, in their process: it listens to them, so events cost no question
 * to Redis, and can do everything that BullMQ can. The app keeps and closes what it made.
 */
export const bullmq = ({ flows = [], queues = [], workers = [] }: BesideOptions): Engine => {
  const site = emptySite()
  let watches: ReadonlyArray<WorkerWatch> = []
  let others: Ask = () => refuse("the agent has not begun yet")
  const handle = handler(() => watches)
  const request: Ask = (asked) => handle(asked) ?? others(asked)

  const start = Effect.fnUntraced(function*(report: Report) {
    yield* check(workers, queues)
    const clock = yield* Effect.clock
    site.report = report
    site.now = () => clock.unsafeCurrentTimeMillis()
    yield* openQueues(site, workers, queues)
    const later = yield* line
    const roots = new Roots()
    for (const queue of site.queues.values()) yield* listen(() => watchQueue(queue, site))
    for (const producer of flows) yield* listen(() => watchFlows(producer, site))
    watches = yield* Effect.forEach(workers, (worker, at) =>
      listen(() => watchWorker(worker, nameOf(workers, at), site, roots, later)))
    const { opts } = workers[0] ?? queues[0]!
    others = yield* relay(opts.connection, prefixOf(workers[0] ?? queues[0]!), handle)
  })

  return {
    name: "bullmq",
    start,
    retriesByReference: true,
    inventory: inventoryOf(site, Effect.sync(() => watches.map((watch) => watch.inventory()))),
    reconcile: reconcile(site),
    scheduler: schedulerOf(site),
    actions: {
      submit_task: submitTask(site),
      retry_task: retryTask(site),
      cancel_task: cancelTask(site, ({ name: queue }, jobId) => request({ action: "cancel_job", queue, jobId })),
      purge_queue: purgeQueue(site),
      rate_limit: rateLimit(site),
      requeue_dead_letter: requeueDeadLetter(site),
      list_dead_letters: listDeadLetters(site),
      ...(workers.length > 0 ? workerActions(request) : {})
    }
  }
}

const prefixOf = ({ opts }: Queue | Worker): string | undefined => opts.prefix

const check = (workers: ReadonlyArray<Worker>, queues: ReadonlyArray<Queue>): Effect.Effect<void, EngineRefused> => {
  const all = [...workers, ...queues]
  const because = (message: string) => Effect.fail(new EngineRefused({ message }))
  if (all.length === 0) return because("give the agent the app's BullMQ workers, queues or both")
  if (all.some((one) => !("redisVersion" in one.getBackend()))) {
    return because("the agent follows BullMQ on Redis; a queue or worker here keeps its jobs elsewhere")
  }
  const prefixes = new Set(all.map((one) => prefixOf(one) ?? "bull"))
  return prefixes.size === 1
    ? Effect.void
    : because(`one agent follows one prefix; here are ${[...prefixes].join(" and ")}: start an agent for each`)
}

/** Commands need a queue for each worker's name; what is opened here is closed with the scope. */
const openQueues = Effect.fnUntraced(function*(
  site: Site,
  workers: ReadonlyArray<Worker>,
  queues: ReadonlyArray<Queue>
) {
  yield* Effect.addFinalizer(() => Effect.sync(() => site.queues.clear()))
  for (const queue of queues) site.queues.set(queue.name, queue)
  for (const worker of workers) {
    if (site.queues.has(worker.name)) continue
    const prefix = prefixOf(worker)
    const { connection } = worker.opts
    const options = { connection, ...(prefix === undefined ? {} : { prefix }), skipMetasUpdate: true }
    const queue = yield* Effect.acquireRelease(
      Effect.sync(() => new BullQueue(worker.name, options)),
      close
    )
    queue.on("error", () => undefined) // Redis away: it comes back by itself, and the inventory tells
    site.queues.set(queue.name, queue)
  }
})

/** Its work is done one after the other. */
const line: Effect.Effect<Later, never, Scope.Scope> = Effect.gen(function*() {
  const works = yield* Line.unbounded<() => Promise<void>>()
  yield* Line.take(works).pipe(
    Effect.flatMap((work) => Effect.ignore(Effect.timeout(Effect.tryPromise(work), "10 seconds"))),
    Effect.forever,
    Effect.forkScoped
  )
  return (work) => works.unsafeOffer(work)
})

const listen = <A extends { readonly close: () => void }>(begin: () => A): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(begin), (listening) => Effect.sync(() => listening.close()))

/** Two workers of one name in a process are told apart by a number. */
const nameOf = (workers: ReadonlyArray<Worker>, at: number): string => {
  const own = (worker: Worker | undefined) => worker?.opts.name ?? worker?.name
  const before = workers.slice(0, at).filter((worker) => own(worker) === own(workers[at])).length
  return `${own(workers[at])}-${process.pid}${before === 0 ? "" : `-${before + 1}`}@${hostname()}`
}
