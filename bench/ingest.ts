import { Effect } from "effect"
import { builtProgram, runningBrain } from "./brain.ts"
import { bareUpserts, storedTasks } from "./ingest/driver.ts"
import { type Outcome, taskNames } from "./ingest/Job.ts"
import { ingestClient, send } from "./ingest/sending.ts"
import { median } from "./percentile.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * Acknowledged events a second through real signed WebSocket frames, received/started/succeeded of each task, client
 * and brain in processes of their own; beside it what the bare driver upserts of such rows on one connection in the
 * same run. `npx vite-node bench/ingest.ts sqlite|postgresql [tasks]`
 *
 * With `searchable` = 1 only what searchable paths cost: the same frames with 16 paths over the 7 task names and without
 * them, three times in turn; `share` is of the medians.
 */
const measure = (database: Database, tasks: number) =>
  Effect.gen(function*() {
    const file = yield* ingestClient
    const program = yield* builtProgram
    const job = (eventsPerFrame: number, inFlight: number, count: number, rate: number | null = null) => ({
      tasks: count,
      warmUpTasks: Math.ceil(count / 6),
      eventsPerFrame,
      inFlight,
      rate
    })
    const freshly = (agents: number, wanted: ReturnType<typeof job>) =>
      Effect.scoped(Effect.gen(function*() {
        const { brain, credentials } = yield* runningBrain(program, database, agents)
        return yield* send(file, { url: brain.url, agents: credentials, ...wanted })
      }))
    // the rows that the first run leaves are what the bare driver is given, on an empty database of its own
    const first = yield* Effect.scoped(Effect.gen(function*() {
      const { brain, credentials, site } = yield* runningBrain(program, database, 1)
      const outcome = yield* send(file, { url: brain.url, agents: credentials, ...job(100, 32, tasks) })
      yield* brain.stop
      return { outcome, rows: yield* Effect.promise(() => storedTasks(site.env, 30_000)) }
    }))
    const driver = yield* Effect.scoped(Effect.gen(function*() {
      const { brain, site } = yield* runningBrain(program, database, 0)
      yield* brain.stop
      return yield* Effect.promise(() => bareUpserts(site.env, first.rows))
    }))
    const share = ({ ackP50, ackP99, eventsPerSecond }: Outcome) => ({
      eventsPerSecond,
      share: Number((eventsPerSecond / driver).toFixed(2)),
      ackP50,
      ackP99
    })

    const fewer = Math.ceil(tasks / 2)
    const single = yield* freshly(1, job(1, 256, fewer))
    const batched20 = yield* freshly(20, job(100, 8, tasks))
    const single20 = yield* freshly(20, job(1, 256, fewer))
    const half = yield* freshly(1, job(100, 256, fewer, first.outcome.eventsPerSecond / 2))
    const halfSingle = yield* freshly(1, job(1, 256, fewer, single.eventsPerSecond / 2))
    return {
      bench: "ingest",
      database,
      tasks,
      driverUpsertsPerSecond: driver,
      frame100: share(first.outcome),
      frame1: share(single),
      frame100Agents20: share(batched20),
      frame1Agents20: share(single20),
      halfLoad: { frame100: share(half), frame1: share(halfSingle) }
    }
  })

/** Each task has a value at two or three of them: `args.0` is another one each time, `kwargs.currency` always the same. */
const searchablePaths = taskNames.flatMap((task_name, index) =>
  ["args.0", "kwargs.currency", ...(index < 2 ? ["kwargs.notify"] : [])].map((path) => ({ task_name, path }))
)

const rounds = 3

const measureSearchable = (database: Database, tasks: number) =>
  Effect.gen(function*() {
    const file = yield* ingestClient
    const program = yield* builtProgram
    const run = (paths: typeof searchablePaths) =>
      Effect.scoped(Effect.gen(function*() {
        const { brain, call, credentials } = yield* runningBrain(program, database, 1)
        for (const path of paths) yield* call("POST", "/projects/bench/searchable-paths", path)
        const job = { tasks, warmUpTasks: Math.ceil(tasks / 6), eventsPerFrame: 100, inFlight: 32, rate: null }
        return (yield* send(file, { url: brain.url, agents: credentials, ...job })).eventsPerSecond
      }))
    const pairs = yield* Effect.replicateEffect(Effect.all({ without: run([]), with: run(searchablePaths) }), rounds)
    const without = median(pairs.map((pair) => pair.without))
    const withPaths = median(pairs.map((pair) => pair.with))
    return {
      bench: "ingest searchable",
      database,
      tasks,
      paths: searchablePaths.length,
      without,
      with: withPaths,
      share: Number((withPaths / without).toFixed(2)),
      rounds: pairs
    }
  })

const { database, searchable, tasks } = databaseAndNumbersOf("ingest", { tasks: 60_000, searchable: 0 })
report(searchable === 1 ? measureSearchable(database, tasks) : measure(database, tasks))
