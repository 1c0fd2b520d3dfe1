import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Runtime } from "effect"
import { randomUUID } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { ProjectId } from "../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../src/domain/kernel/TaskEvent.ts"
import { fromEpochMicros } from "../src/domain/kernel/Timestamp.ts"
import * as Database from "../src/layers/Database.ts"
import { Ingest } from "../src/services/tasks/Ingest.ts"
import { pauseAfter, RollupMerge } from "../src/services/tasks/Rollups/Merge.ts"
import { SearchIndexes } from "../src/services/tasks/SearchIndexes.ts"
import { barePostgres, bareSqlite, type Row } from "./ingest/driver.ts"
import { begin, eventsOfTask, inFrames, offerAll, writer, writerWithoutRollups } from "./ingest/writer.ts"
import { percentile } from "./percentile.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { freshHome, freshSettings, settingsIn } from "./services.ts"

/**
 * The ingest's writer without sockets: received, started and succeeded of each task from `offer` to `settle`, in
 * batches of `frame` events, `inFlight` of them at a time; beside it what the bare driver upserts of the same rows, in
 * batches of 500 on one connection, in turns with it. `npx vite-node bench/ingest-writer.ts sqlite|postgresql [tasks]
 * [frame] [inFlight] [spread] [existing] [names] [trigram]`: `spread` tasks are reported side by side, so that their events are that far
 * apart; `existing` tasks are stored before, and the rate into the empty table is printed beside it; the tasks have
 * `names` names; `trigram` is 1 to create the trigram indexes of PostgreSQL then, and print the rate with them as a share of that
 * without, each beside the driver's. Also in turns: a writer that counts no rollups. `rollupCost` is the time that they add with their merges,
 * which come as often as in a brain; `deltasCost` without.
 */
const { database, existing, frame, inFlight, names, spread, tasks, trigram } = databaseAndNumbersOf("ingest-writer", {
  tasks: 40_000,
  frame: 100,
  inFlight: 32,
  spread: 1,
  existing: 0,
  names: 300,
  trigram: 0
})

/** The frames are encoded before the clock starts, so that it does not count. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

const eventsOf = (number: number): ReadonlyArray<AgentEvent> => {
  const taskId = randomUUID()
  const event = eventsOfTask(number, taskId)
  const unknown = `"<unknown:${taskId.slice(0, 8)}>"`
  const worker = `"w${number % 4}@host"`
  return [
    event("task.received", 0, {
      args: `[${number},"order"]`,
      kwargs: `{"currency":"EUR","notify":true}`,
      queue: `"celery"`,
      root_task_id: `"${taskId}"`,
      task_name: `"shop.task_${number % names}"`,
      worker: "null"
    }),
    event("task.started", 1500, { args: "null", kwargs: "null", queue: "null", task_name: unknown, worker }),
    event("task.succeeded", 9500, { queue: "null", result: `"'ok'"`, runtime_ms: "8", task_name: unknown, worker })
  ]
}

const framesOf = (count: number) => {
  const events: Array<AgentEvent> = []
  for (let from = 0; from < count; from += spread) {
    const group = Array.from({ length: Math.min(spread, count - from) }, (_, index) => eventsOf(from + index))
    for (let step = 0; step < 3; step++) for (const ofTask of group) events.push(ofTask[step]!)
  }
  return inFrames(events, frame)
}

/** The share that ours took more. */
const cost = (ours: number, without: number): number => Number((ours / without - 1).toFixed(3))

const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1e6
}

/** Seconds, of the clock and of this process's processor time (on a busy machine the steadier figure). */
interface Spent {
  seconds: number
  cpuSeconds: number
}

const timed = async (spent: Spent, work: () => Promise<unknown>): Promise<void> => {
  const begun = performance.now()
  const cpu = process.cpuUsage()
  await work()
  spent.cpuSeconds += cpuSince(cpu)
  spent.seconds += (performance.now() - begun) / 1000
}

const project = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const id = ProjectId.make(randomUUID())
  const now = fromEpochMicros(begin)
  yield* sql`INSERT INTO projects ${
    sql.insert({
      id,
      slug: "bench",
      name: "bench",
      environment: "bench",
      timezone: "UTC",
      is_active: 1,
      default_scheduler_owner: "x",
      created_at: now,
      updated_at: now
    })
  }`
  return id
})

const rounds = 10
const rows = Math.ceil(tasks / rounds) * rounds
const events = rows * 3

const measure = Effect.gen(function*() {
  const bare = yield* freshHome(database)
  yield* Effect.scoped(Layer.build(Database.layer.pipe(Layer.provide(settingsIn(bare)))))
  const driver = bare.url === null ? bareSqlite(bare.file) : yield* Effect.promise(() => barePostgres(bare.url ?? ""))
  const sql = yield* SqlClient.SqlClient
  const run = Runtime.runPromise(yield* Effect.runtime())
  const ingest = yield* Ingest
  const ingestWithout = yield* writerWithoutRollups
  const { merge } = yield* RollupMerge
  const projectId = yield* project

  /** In turns with the driver, so that whatever else the machine does weighs on both alike. */
  const compare = Effect.gen(function*() {
    const ours: Spent = { seconds: 0, cpuSeconds: 0 }
    const merges: Spent = { seconds: 0, cpuSeconds: 0 }
    let nextMerge = 1
    const without: Spent = { seconds: 0, cpuSeconds: 0 }
    const drivers: Spent = { seconds: 0, cpuSeconds: 0 }
    const waits: Array<number> = []
    const waitsWithout: Array<number> = [] // not printed: both writers do the same
    for (let round = 0; round < rounds; round++) {
      const offerOurs = Effect.gen(function*() {
        const frames = framesOf(rows / rounds)
        collectGarbage()
        yield* Effect.promise(() => timed(ours, () => run(offerAll(ingest, projectId, frames, inFlight, waits))))
        if (round === rounds - 1 || ours.seconds >= nextMerge) {
          const before = merges.seconds
          yield* Effect.promise(() => timed(merges, () => run(merge)))
          nextMerge = ours.seconds + Duration.toSeconds(pauseAfter(Duration.seconds(merges.seconds - before)))
        }
      })
      const offerOthers = Effect.gen(function*() {
        const frames = framesOf(rows / rounds)
        collectGarbage()
        yield* Effect.promise(() =>
          timed(without, () => run(offerAll(ingestWithout, projectId, frames, inFlight, waitsWithout)))
        )
      })
      // the first after the driver is slower
      if (round % 2 === 0) yield* Effect.zipRight(offerOurs, offerOthers)
      else yield* Effect.zipRight(offerOthers, offerOurs)
      const written = yield* sql<Row>`SELECT * FROM tasks ORDER BY project_id DESC, id DESC LIMIT ${rows / rounds}`
      collectGarbage()
      yield* Effect.promise(() => timed(drivers, () => driver.upsert(written)))
    }
    return {
      eventsPerSecond: Math.round(events / ours.seconds),
      driverUpsertsPerSecond: Math.round(rows / drivers.seconds),
      withoutRollups: Math.round(events / without.seconds),
      deltasCost: cost(ours.seconds, without.seconds),
      deltasCpuCost: cost(ours.cpuSeconds, without.cpuSeconds),
      rollupCost: cost(ours.seconds + merges.seconds, without.seconds),
      rollupCpuCost: cost(ours.cpuSeconds + merges.cpuSeconds, without.cpuSeconds),
      share: Number((events / ours.seconds / (rows / drivers.seconds)).toFixed(2)),
      cpuMicrosAnEvent: Number((ours.cpuSeconds * 1e6 / events).toFixed(2)),
      cpuShare: Number((events / ours.cpuSeconds / (rows / drivers.cpuSeconds)).toFixed(2)),
      waitP50: percentile(waits, 50),
      waitP99: percentile(waits, 99)
    }
  })

  const empty = yield* compare
  for (let left = existing; left > 0; left -= 20_000) {
    yield* offerAll(ingest, projectId, framesOf(Math.min(left, 20_000)), inFlight)
  }
  const full = existing === 0 ? empty : yield* compare
  const trigramShare = trigram === 0 ? {} : yield* Effect.gen(function*() {
    yield* sql`CREATE EXTENSION IF NOT EXISTS pg_trgm`
    yield* Effect.flatMap(SearchIndexes, ({ create }) => create())
    const indexed = yield* compare
    return {
      ofWithoutTrigram: Number((indexed.eventsPerSecond / full.eventsPerSecond).toFixed(2)),
      shareWithoutTrigram: full.share,
      shareWithTrigram: indexed.share
    }
  }).pipe(Effect.provide(SearchIndexes.layer))
  yield* Effect.promise(driver.end)
  const [stored] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM tasks WHERE state = 'success'`
  const compared = 1 + (existing === 0 ? 0 : 1) + trigram
  if (stored?.n !== rows * 2 * compared + existing) throw new Error(`stored ${stored?.n} tasks`)
  return {
    bench: "ingest-writer",
    database,
    tasks: rows,
    frame,
    inFlight,
    spread,
    ...full,
    ...trigramShare,
    ...(existing === 0
      ? {}
      : { existing, ofEmpty: Number((full.eventsPerSecond / empty.eventsPerSecond).toFixed(2)), empty })
  }
}).pipe(
  Effect.scoped,
  Effect.provide(writer.pipe(Layer.provideMerge(freshSettings(database, { ingestQueueEvents: 1_000_000 }))))
)

report(measure)
