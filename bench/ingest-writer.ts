import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted, Runtime } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { AgentEvent } from "../src/domain/TaskEvent.ts"
import { fromEpochMicros } from "../src/domain/Timestamp.ts"
import * as Database from "../src/layers/Database.ts"
import * as SettingsLayer from "../src/layers/Settings.ts"
import * as Keys from "../src/layers/Keys.ts"
import { Audit } from "../src/services/Audit.ts"
import { Ingest } from "../src/services/Ingest.ts"
import { AuditForwarder } from "../src/services/AuditForwarder.ts"
import { Loops } from "../src/services/Loops.ts"
import { Outbound, Resolver } from "../src/services/Outbound.ts"
import { Metrics } from "../src/services/Metrics.ts"
import { TaskChanges } from "../src/services/TaskChanges.ts"
import { freshPostgres } from "./brain.ts"
import { barePostgres, bareSqlite, type Row } from "./ingest/driver.ts"
import { percentile } from "./percentile.ts"
import { databaseAndNumbersOf, report } from "./run.ts"

/**
 * The ingest's writer without sockets: received, started and succeeded of each task from `offer` to `settle`, in
 * batches of `frame` events, `inFlight` of them at a time; beside it what the bare driver upserts of the same rows, in
 * batches of 500 on one connection, in turns with it.
 * `npx vite-node bench/ingest-writer.ts sqlite|postgresql [tasks] [frame] [inFlight] [spread] [existing]`:
 * `spread` tasks are told side by side, so that their events are that far apart; `existing` tasks are there before, and
 * the rate into the empty table stands beside.
 */
const { database, existing, frame, inFlight, spread, tasks } = databaseAndNumbersOf("ingest-writer", {
  tasks: 40_000,
  frame: 100,
  inFlight: 32,
  spread: 1,
  existing: 0
})

/** The frames are made before the clock starts: that must not be paid for afterwards. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

const names = ["shop.checkout", "shop.mail", "shop.invoice", "shop.stock", "shop.report", "billing.charge", "billing.tax"]
const begin = 1_795_243_586_000_000

const eventsOf = (number: number): ReadonlyArray<AgentEvent> => {
  const taskId = randomUUID()
  const event = (kind: AgentEvent["kind"], offset: number, data: Readonly<Record<string, string>>): AgentEvent => ({
    id: randomUUID(),
    kind,
    engine: "celery",
    taskId,
    occurredAt: fromEpochMicros(begin + number * 1000 + offset),
    data: new Map(Object.entries(data))
  })
  const unknown = `"<unknown:${taskId.slice(0, 8)}>"`
  const worker = `"w${number % 4}@host"`
  return [
    event("task.received", 0, {
      args: `[${number},"order"]`,
      kwargs: `{"currency":"EUR","notify":true}`,
      queue: `"celery"`,
      root_task_id: `"${taskId}"`,
      task_name: `"${names[number % names.length]}"`,
      worker: "null"
    }),
    event("task.started", 1500, { args: "null", kwargs: "null", queue: "null", task_name: unknown, worker }),
    event("task.succeeded", 9500, { queue: "null", result: `"'ok'"`, runtime_ms: "8", task_name: unknown, worker })
  ]
}

const framesOf = (count: number): ReadonlyArray<ReadonlyArray<AgentEvent>> => {
  const events: Array<AgentEvent> = []
  for (let from = 0; from < count; from += spread) {
    const group = Array.from({ length: Math.min(spread, count - from) }, (_, index) => eventsOf(from + index))
    for (let step = 0; step < 3; step++) for (const told of group) events.push(told[step]!)
  }
  return Array.from({ length: Math.ceil(events.length / frame) }, (_, index) =>
    events.slice(index * frame, (index + 1) * frame))
}

const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1e6
}

/** Offers every frame, `inFlight` at a time, until all are settled; adds the milliseconds that each waited. */
const ingest = (projectId: string, frames: ReadonlyArray<ReadonlyArray<AgentEvent>>, waits: Array<number> = []) =>
  Effect.flatMap(Ingest, ({ offer }) =>
    Effect.async<void>((resume) => {
      const agentId = randomUUID()
      let next = 0
      let settled = 0
      const more = () => {
        while (next < frames.length && next - settled < inFlight) {
          const offered = performance.now()
          const settle = () => {
            waits.push(performance.now() - offered)
            if (++settled === frames.length) resume(Effect.void)
            else setImmediate(more)
          }
          const events = frames[next++]!
          const taken = offer({ projectId, agentId, workerId: "bench", events, size: events.length * 400, settle })
          if (!taken) throw new Error("the queue is full")
        }
      }
      more()
    }))

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

const brain = Ingest.layer.pipe(
  Layer.provideMerge(TaskChanges.layer),
  Layer.provideMerge(Loops.layer),
  Layer.provideMerge(Metrics.layer),
  Layer.provideMerge(Audit.layer.pipe(
    Layer.provide(AuditForwarder.layer),
    Layer.provide(Outbound.layer.pipe(Layer.provide(Resolver.layer))),
    Layer.provide(Loops.layer),
    Layer.provide(Metrics.layer)
  )),
  Layer.provideMerge(Keys.layer),
  Layer.provideMerge(Database.layer)
)

const fresh = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.makeTempDirectoryScoped({ directory: "/tmp" })
  const url = database === "postgresql" ? (yield* freshPostgres).url : null
  return { home, url, file: join(home, "svc.db") }
})

const settingsOf = ({ home, url }: { readonly home: string; readonly url: string | null }) =>
  SettingsLayer.layer({ SVC_HOME: home }, {
    databaseUrl: url === null ? null : Redacted.make(url),
    ingestQueueEvents: 1_000_000
  })

const project = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
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
  const bare = yield* fresh
  yield* Effect.scoped(Layer.build(Database.layer.pipe(Layer.provide(settingsOf(bare)))))
  const driver = bare.url === null ? bareSqlite(bare.file) : yield* Effect.promise(() => barePostgres(bare.url ?? ""))
  const sql = yield* SqlClient.SqlClient
  const run = Runtime.runPromise(yield* Effect.runtime<Ingest>())
  const projectId = yield* project

  /** In turns with the driver, so that whatever else the machine does weighs on both alike. */
  const compare = Effect.gen(function*() {
    const ours: Spent = { seconds: 0, cpuSeconds: 0 }
    const drivers: Spent = { seconds: 0, cpuSeconds: 0 }
    const waits: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const frames = framesOf(rows / rounds)
      collectGarbage()
      yield* Effect.promise(() => timed(ours, () => run(ingest(projectId, frames, waits))))
      const written = yield* sql<Row>`SELECT * FROM tasks ORDER BY project_id DESC, id DESC LIMIT ${rows / rounds}`
      collectGarbage()
      yield* Effect.promise(() => timed(drivers, () => driver.upsert(written)))
    }
    return {
      eventsPerSecond: Math.round(events / ours.seconds),
      driverUpsertsPerSecond: Math.round(rows / drivers.seconds),
      share: Number((events / ours.seconds / (rows / drivers.seconds)).toFixed(2)),
      cpuMicrosAnEvent: Number((ours.cpuSeconds * 1e6 / events).toFixed(2)),
      cpuShare: Number((events / ours.cpuSeconds / (rows / drivers.cpuSeconds)).toFixed(2)),
      waitP50: percentile(waits, 50),
      waitP99: percentile(waits, 99)
    }
  })

  const empty = yield* compare
  for (let left = existing; left > 0; left -= 20_000) yield* ingest(projectId, framesOf(Math.min(left, 20_000)))
  const full = existing === 0 ? empty : yield* compare
  yield* Effect.promise(driver.end)
  const [stored] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM tasks WHERE state = 'success'`
  if (stored?.n !== rows * (existing === 0 ? 1 : 2) + existing) throw new Error(`stored ${stored?.n} tasks`)
  return {
    bench: "ingest-writer",
    database,
    tasks: rows,
    frame,
    inFlight,
    spread,
    ...full,
    ...(existing === 0
      ? {}
      : { existing, ofEmpty: Number((full.eventsPerSecond / empty.eventsPerSecond).toFixed(2)), empty })
  }
}).pipe(Effect.provide(Layer.unwrapScoped(Effect.map(fresh, (place) => brain.pipe(Layer.provide(settingsOf(place)))))))

report(measure)
