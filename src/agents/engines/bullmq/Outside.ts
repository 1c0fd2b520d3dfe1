import { Queue } from "bullmq"
import { Effect } from "effect"
import { Redis, type RedisOptions } from "ioredis"
import { type Engine, EngineRefused, type Report, type WorkerInventory } from "../../runtime/Engine.ts"
import { close, read, refuse } from "./Broker.ts"
import { listDeadLetters } from "./DeadLetters.ts"
import { follow } from "./EventStream.ts"
import { inventoryOf } from "./Inventory.ts"
import { purgeQueue } from "./Purge.ts"
import { cancelTask, rateLimit, requeueDeadLetter, retryTask, submitTask } from "./QueueActions.ts"
import { reconcile } from "./Reconcile.ts"
import { Roots } from "./Roots.ts"
import { schedulerOf } from "./Schedules.ts"
import { emptySite } from "./Site.ts"

export interface OutsideOptions {
  /** Names of the queues to follow. */
  readonly queues: ReadonlyArray<string>
  /** `redis://…`, or what ioredis takes. */
  readonly connection: string | RedisOptions
  /** Of the queues' keys; `bull` unless the app says otherwise. */
  readonly prefix?: string
  /** Where several agents of different brains follow the same queues: this one's name, `default` if there is none. */
  readonly reader?: string
}

/**
 * The engine from outside, by its queues' names alone, for an app that cannot be changed: it follows the queues' event
 * streams and reads the jobs. It can do what a queue can; a worker, and a job that runs, it cannot reach.
 */
export const bullmqFromOutside = (options: OutsideOptions): Engine => {
  const { connection, prefix = "bull", queues: names, reader = "default" } = options
  const site = emptySite()

  const start = Effect.fnUntraced(function*(report: Report) {
    if (names.length === 0) return yield* new EngineRefused({ message: "name the queues that the agent is to follow" })
    const colon = names.find((name) => name.includes(":"))
    if (colon !== undefined) {
      return yield* new EngineRefused({ message: `${colon} is no name of a BullMQ queue: it has a colon` })
    }
    const clock = yield* Effect.clock
    site.report = report
    site.now = () => clock.unsafeCurrentTimeMillis()
    const redis = yield* Effect.acquireRelease(
      Effect.sync(() => connect(connection)),
      (redis) => Effect.sync(() => redis.disconnect())
    )
    redis.on("error", () => undefined) // Redis away: it comes back by itself, and the inventory tells
    yield* Effect.addFinalizer(() => Effect.sync(() => site.queues.clear()))
    const roots = new Roots()
    for (const name of names) {
      const queue = yield* Effect.acquireRelease(
        Effect.sync(() => new Queue(name, { connection: redis, prefix, skipMetasUpdate: true })),
        close
      )
      queue.on("error", () => undefined)
      site.queues.set(name, queue)
      yield* Effect.forkScoped(Effect.scoped(follow(queue, { redis, prefix, name: reader }, site, roots)))
    }
  })

  const workers = Effect.map(
    Effect.forEach([...names], (name) => Effect.suspend(() => workersOf(site.queues.get(name)))),
    (found) => found.flat()
  )

  return {
    name: "bullmq",
    start,
    retriesByReference: true,
    inventory: inventoryOf(site, workers),
    reconcile: reconcile(site),
    scheduler: schedulerOf(site),
    actions: {
      submit_task: submitTask(site),
      retry_task: retryTask(site),
      cancel_task: cancelTask(site, () => refuse(unreachable)),
      purge_queue: purgeQueue(site),
      rate_limit: rateLimit(site),
      requeue_dead_letter: requeueDeadLetter(site),
      list_dead_letters: listDeadLetters(site)
    }
  }
}

const unreachable = "the job runs, and from outside nobody can end it: that needs the agent in the worker's process"

/** Commands wait for Redis to come back; those who wait for their answers have their own patience. */
const connect = (connection: string | RedisOptions): Redis =>
  typeof connection === "string"
    ? new Redis(connection, { maxRetriesPerRequest: null })
    : new Redis({ ...connection, maxRetriesPerRequest: null })

/** What Redis's list of clients says of a queue's workers: a name if the app gave one, and where they call from. */
const workersOf = (queue: Queue | undefined) =>
  queue === undefined ? Effect.succeed([]) : Effect.gen(function*() {
    const clients = yield* read(() => queue.getWorkers())
    const active = yield* read(() => queue.getActive())
    return clients.map((client): WorkerInventory => {
      const named = /:w:(.+)$/.exec(client.rawname ?? "")?.[1]
      const host = client.addr?.replace(/:\d+$/, "") ?? null
      return {
        name: named ?? `${queue.name}@${client.addr ?? "unknown"}`,
        hostname: host,
        pid: null,
        concurrency: null,
        queues: [queue.name],
        activeTasks: active.filter((job) => named !== undefined && job?.processedBy === named).length,
        registered: []
      }
    })
  })
