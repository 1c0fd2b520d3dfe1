import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId } from "../src/domain/kernel/Id.ts"
import { Settings } from "../src/services/kernel/Settings.ts"
import { Ingest } from "../src/services/tasks/Ingest.ts"
import { eventsOfEnd, inFrames, offerAll, writer } from "./ingest/writer.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { freshSettings } from "./services.ts"

/**
 * What the audit log's rows of failed tasks cost the ingest: the writer without sockets, as in `ingest-writer.ts`, with
 * no task failing, and with a share of them failing, recorded and not; in turns over one database.
 * `npx vite-node bench/ingest-failures.ts sqlite|postgresql [tasks] [share]`
 */
const { database, share, tasks } = databaseAndNumbersOf("ingest-failures", { tasks: 24_000, share: 0.1 })

const frame = 99
const inFlight = 32
const rounds = 8

const framesOf = (count: number, failing: number) => {
  const every = failing === 0 ? Infinity : Math.round(1 / failing)
  return inFrames(
    Array.from({ length: count }, (_, index) => eventsOfEnd(index, "shop.checkout", index % every === every - 1))
      .flat(),
    frame
  )
}

/** Seconds until all frames are settled. */
const ingest = (projectId: ProjectId, ingest: Ingest["Type"], frames: ReturnType<typeof framesOf>) =>
  Effect.gen(function*() {
    const begun = performance.now()
    yield* offerAll(ingest, projectId, frames, inFlight)
    return (performance.now() - begun) / 1000
  })

const measure = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const loud = yield* Ingest
  const off = Layer.succeed(Settings, { ...yield* Settings, auditTaskFailures: "off" as const })
  const quiet = Context.get(yield* Layer.build(Layer.fresh(Ingest.layer).pipe(Layer.provide(off))), Ingest)
  const projectId = ProjectId.make(randomUUID())
  const cases = [
    { name: "noneFailing", ingest: loud, failing: 0 },
    { name: "failingNotRecorded", ingest: quiet, failing: share },
    { name: "failingRecorded", ingest: loud, failing: share }
  ]
  const seconds = new Map(cases.map(({ name }) => [name, 0]))
  for (let round = 0; round <= rounds; round++) {
    for (const { failing, ingest: ours, name } of cases) {
      const taken = yield* ingest(projectId, ours, framesOf(tasks / rounds, failing))
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
}).pipe(Effect.provide(writer.pipe(Layer.provideMerge(freshSettings(database, { ingestQueueEvents: 1_000_000 })))))

report(measure)
