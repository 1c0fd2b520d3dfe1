import { Queue } from "bullmq"
import { Effect } from "effect"
import { Redis, type RedisOptions } from "ioredis"
import { type Engine, EngineRefused, type ReportEvent, type WorkerInventory } from "../../runtime/Engine.ts"
import { clientListsOf, clientNameOf, clientOf } from "./Backend.ts"
import { close, read, refuse } from "./Broker.ts"
import { makeEngineContext } from "./EngineContext.ts"
import { followEvents } from "./EventStream.ts"
import { FlowRoots } from "./FlowRoots.ts"
import type { OutsideOptions as FromOutsideOptions } from "./Options.ts"
import { queueEngine } from "./QueueEngine.ts"
import { taskIdOf } from "./TaskId.ts"

/**
 * The engine from outside, by the queues' names, for an application that cannot be changed. It follows the queues'
 * event streams and reads the jobs. It controls queues, but neither workers nor running jobs.
 */
export const bullmqFromOutside = (options: FromOutsideOptions): Engine => {
  const { connection, logs = true, prefix = "bull", queues: names, reader = "default" } = options
  const context = makeEngineContext(logs)

  const start = Effect.fnUntraced(function*(report: ReportEvent) {
    if (names.length === 0) return yield* new EngineRefused({ message: "name the queues that the agent is to follow" })
    const colon = names.find((name) => name.includes(":"))
    if (colon !== undefined) {
      return yield* new EngineRefused({ message: `${colon} is not a valid BullMQ queue name: it contains a colon` })
    }
    const clock = yield* Effect.clock
    context.report = report
    context.now = () => clock.unsafeCurrentTimeMillis()
    yield* Effect.addFinalizer(() => Effect.sync(() => context.output.close()))
    const redis = yield* Effect.acquireRelease(
      Effect.sync(() => connect(connection)),
      (redis) => Effect.sync(() => redis.disconnect())
    )
    redis.on("error", () => undefined) // Redis is away: the client reconnects, and the inventory shows it
    yield* Effect.addFinalizer(() => Effect.sync(() => context.queues.clear()))
    const roots = new FlowRoots()
    for (const name of names) {
      const queue = yield* Effect.acquireRelease(
        Effect.sync(() => new Queue(name, { connection: redis, prefix, skipMetasUpdate: true })),
        close
      )
      queue.on("error", () => undefined)
      context.queues.set(name, queue)
      yield* Effect.forkScoped(Effect.scoped(followEvents(queue, { redis, prefix, name: reader }, context, roots)))
    }
  })

  const workers = Effect.suspend(() => listWorkers([...context.queues.values()]))

  return { ...queueEngine(context, workers, () => refuse(unreachable)), start }
}

const unreachable =
  "the job runs, and an agent from outside cannot cancel it: that needs the agent in the worker's process"

/** Commands wait until Redis is back; callers have their own timeouts. */
const connect = (connection: string | RedisOptions): Redis =>
  typeof connection === "string"
    ? new Redis(connection, { maxRetriesPerRequest: null })
    : new Redis({ ...connection, maxRetriesPerRequest: null })

/**
 * The queues' workers in Redis's list of clients: a name if the application gave one, and an address. Where a Redis
 * refuses the list, as some services' do, there are no workers.
 */
const listWorkers = Effect.fnUntraced(function*(queues: ReadonlyArray<Queue>) {
  const [any] = queues
  if (any === undefined) return []
  // all queues share one connection
  const lists = yield* Effect.orElseSucceed(read(() => clientListsOf(any)), () => [])
  const clients = lists.flatMap(clientsOf)
  const found = yield* Effect.forEach(queues, (queue) => workersOfQueue(queue, clients))
  return found.flat()
})

interface Client {
  readonly name: string
  readonly address: string
}

const clientsOf = (list: string): ReadonlyArray<Client> =>
  list.split("\n").map((line) => ({
    name: / name=(\S+)/.exec(line)?.[1] ?? "",
    address: / addr=(\S+)/.exec(line)?.[1] ?? "unknown"
  }))

/** A worker's connection has the queue's name, and the worker's if it has one. */
const workersOfQueue = Effect.fnUntraced(function*(queue: Queue, clients: ReadonlyArray<Client>) {
  const [unnamed, named] = [clientNameOf(queue), clientNameOf(queue, ":w:")]
  const workers = clients.filter(({ name }) => name === unnamed || name.startsWith(named))
  const nameOf = ({ name }: Client) => name === unnamed ? undefined : name.slice(named.length)
  const active = workers.some((client) => nameOf(client) !== undefined) ? yield* listActiveJobs(queue) : []
  return workers.map((client): WorkerInventory => {
    const name = nameOf(client)
    const running = name === undefined ? [] : active.filter(({ worker }) => worker === name)
    const areAllListed = name !== undefined && active.length < maxActiveJobs
    return {
      name: name ?? `${queue.name}@${client.address}`,
      hostname: client.address.replace(/:\d+$/, ""),
      pid: null,
      concurrency: null,
      queues: [queue.name],
      activeTasks: running.length,
      ...(areAllListed && { activeTaskIds: running.map(({ id }) => taskIdOf(queue.name, id)) }),
      registered: []
    }
  })
})

/** Running jobs that each heartbeat reads, to count those of each worker. */
const maxActiveJobs = 1000

/** Each running job with the name of its worker. No other field of the job is read. */
const listActiveJobs = (queue: Queue) =>
  read(async () => {
    const ids = await queue.getRanges(["active"], 0, maxActiveJobs - 1)
    const client = await clientOf(queue)
    return Promise.all(ids.map(async (id) => ({ id, worker: await client.hget(queue.toKey(id), "pb") })))
  })
