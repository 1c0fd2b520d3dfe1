import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import type { AgentEvent } from "../src/domain/TaskEvent.ts"
import { fromEpochMicros } from "../src/domain/Timestamp.ts"
import * as Database from "../src/layers/Database.ts"
import * as Keys from "../src/layers/Keys.ts"
import * as SettingsLayer from "../src/layers/Settings.ts"
import { Audit } from "../src/services/Audit.ts"
import { Ingest } from "../src/services/Ingest.ts"
import { AuditForwarder } from "../src/services/AuditForwarder.ts"
import { Loops } from "../src/services/Loops.ts"
import { Outbound, Resolver } from "../src/services/Outbound.ts"
import { Metrics } from "../src/services/Metrics.ts"
import { Settings } from "../src/services/Settings.ts"
import { TaskChanges } from "../src/services/TaskChanges.ts"
import { freshPostgres } from "./brain.ts"
import { databaseAndNumbersOf, report } from "./run.ts"

/**
 * What the audit log's rows of failed tasks cost the ingest: the writer without sockets, as in `ingest-writer.ts`, with
 * no task failing, and with a share of them failing, recorded and not; in turns over one database.
 * `npx vite-node bench/ingest-failures.ts sqlite|postgresql [tasks] [share]`
 */
const { database, share, tasks } = databaseAndNumbersOf("ingest-failures", { tasks: 24_000, share: 0.1 })

const begin = 1_795_243_586_000_000
const frame = 99
const inFlight = 32
const rounds = 8

const eventsOf = (number: number, fails: boolean): ReadonlyArray<AgentEvent> => {
  const taskId = randomUUID()
  const event = (kind: AgentEvent["kind"], offset: number, data: Readonly<Record<string, string>>): AgentEvent => ({
    id: randomUUID(),
    kind,
    engine: "celery",
    taskId,
    occurredAt: fromEpochMicros(begin + number * 1000 + offset),
    data: new Map(Object.entries(data))
  })
  const worker = `"w${number % 4}@host"`
  const common = { task_name: "\"shop.checkout\"", queue: "\"celery\"" }
  return [
    event("task.received", 0, { ...common, args: `[${number},"order"]`, kwargs: `{"currency":"EUR"}`, worker: "null" }),
    event("task.started", 1500, { ...common, worker }),
    fails
      ? event("task.failed", 9500, { ...common, worker, exception: "\"ValueError\"", exception_message: "\"no such order\"" })
      : event("task.succeeded", 9500, { ...common, worker, result: "\"'ok'\"", runtime_ms: "8" })
  ]
}

const framesOf = (count: number, failing: number): ReadonlyArray<ReadonlyArray<AgentEvent>> => {
  const every = failing === 0 ? Infinity : Math.round(1 / failing)
  const events = Array.from({ length: count }, (_, index) => eventsOf(index, index % every === every - 1)).flat()
  return Array.from({ length: Math.ceil(events.length / frame) }, (_, at) => events.slice(at * frame, (at + 1) * frame))
}

/** Seconds until all frames are settled. */
const ingest = (projectId: string, { offer }: Ingest["Type"], frames: ReadonlyArray<ReadonlyArray<AgentEvent>>) =>
  Effect.async<number>((resume) => {
    const agentId = randomUUID()
    const begun = performance.now()
    let next = 0
    let settled = 0
    const more = () => {
      while (next < frames.length && next - settled < inFlight) {
        const events = frames[next++]!
        const settle = () => {
          if (++settled === frames.length) resume(Effect.succeed((performance.now() - begun) / 1000))
          else setImmediate(more)
        }
        if (!offer({ projectId, agentId, workerId: "bench", events, size: events.length * 400, settle })) {
          throw new Error("the queue is full")
        }
      }
    }
    more()
  })

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

const settings = Layer.unwrapScoped(Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.makeTempDirectoryScoped({ directory: "/tmp" })
  const url = database === "postgresql" ? (yield* freshPostgres).url : `sqlite:///${join(home, "svc.db")}`
  return SettingsLayer.layer({ SVC_HOME: home }, { databaseUrl: Redacted.make(url), ingestQueueEvents: 1_000_000 })
}))

const measure = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const loud = yield* Ingest
  const off = Layer.succeed(Settings, { ...yield* Settings, auditTaskFailures: "off" as const })
  const quiet = Context.get(yield* Layer.build(Layer.fresh(Ingest.layer).pipe(Layer.provide(off))), Ingest)
  const projectId = randomUUID()
  const cases = [
    { name: "noneFailing", ingest: loud, failing: 0 },
    { name: "failingNotRecorded", ingest: quiet, failing: share },
    { name: "failingRecorded", ingest: loud, failing: share }
  ]
  const seconds = new Map(cases.map(({ name }) => [name, 0]))
  for (let round = 0; round <= rounds; round++) {
    for (const { failing, ingest: writer, name } of cases) {
      const taken = yield* ingest(projectId, writer, framesOf(tasks / rounds, failing))
      if (round > 0) seconds.set(name, seconds.get(name)! + taken) // the first round warms up
    }
  }
  const [recorded] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM audit_log WHERE action = 'task.failed'`
  const rate = (name: string) => Math.round((tasks * 3) / seconds.get(name)!)
  return {
    bench: "ingest-failures",
    database,
    tasks,
    share,
    recorded: recorded?.n,
    eventsPerSecond: Object.fromEntries(cases.map(({ name }) => [name, rate(name)])),
    ofNoneFailing: Number((rate("failingRecorded") / rate("noneFailing")).toFixed(2)),
    ofNotRecorded: Number((rate("failingRecorded") / rate("failingNotRecorded")).toFixed(2))
  }
}).pipe(Effect.provide(brain.pipe(Layer.provideMerge(settings))))

report(measure)
