import { Effect } from "effect"
import { builtProgram, runningBrain } from "./brain.ts"
import { bareUpserts, storedTasks } from "./ingest/driver.ts"
import type { Outcome } from "./ingest/Job.ts"
import { ingestClient, send } from "./ingest/sending.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * Acknowledged events a second through real signed WebSocket frames, received/started/succeeded of each task, client
 * and brain in processes of their own; beside it what the bare driver upserts of such rows on one connection in the
 * same run. `npx vite-node bench/ingest.ts sqlite|postgresql [tasks]`
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

const { database, tasks } = databaseAndNumbersOf("ingest", { tasks: 60_000 })
report(measure(database, tasks))
