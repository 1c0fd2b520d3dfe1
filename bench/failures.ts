import { Effect, Layer } from "effect"
import { builtProgram, runningBrain } from "./brain.ts"
import { measureBarePage } from "./failures/bare.ts"
import { measureIngest } from "./failures/ingest.ts"
import { fingerprintAt, seed } from "./failures/seed.ts"
import { writer } from "./ingest/writer.ts"
import { clientOf } from "./list/client.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"
import { freshSettings } from "./services.ts"

/**
 * What failure groups cost the ingest, and how long their reads take over HTTP in a large project: milliseconds, p50
 * and p99; `barePage` is the first page by the driver alone.
 * `npx vite-node bench/failures.ts sqlite|postgresql [tasks=48000] [failures=1000000] [groups=3000]`
 */
const { database, failures, groups, tasks } = databaseAndNumbersOf("failures", {
  tasks: 48_000,
  failures: 1_000_000,
  groups: 3_000
})

const requests = 1000

const measureReads = (database: Database) =>
  Effect.gen(function*() {
    const { brain, call, site } = yield* runningBrain(yield* builtProgram, database, 0)
    const { json: project } = yield* call("GET", "/projects/bench")
    const client = clientOf(brain.url, yield* seed(site.env, project.id, failures, groups))
    const issues = (query: string) => client.measure(requests, () => `/projects/bench/issues${query}`)
    const fingerprint = (index: number) => fingerprintAt((index * 7919) % groups)
    const tasksOf = (query: string, fingerprint: (index: number) => string) =>
      client.measure(requests / 5, (index) => `/projects/bench/tasks?fingerprint=${fingerprint(index)}${query}`)
    const reads = {
      firstPage: yield* issues(""),
      ongoing: yield* issues("?status=ongoing"),
      recovered: yield* issues("?status=recovered"),
      engine: yield* issues("?engine=rq&status=ongoing"),
      noSuchEngine: yield* issues("?engine=arq"),
      hours: yield* issues("?hours=24"),
      detail: yield* client.measure(requests / 5, (index) => `/projects/bench/issues/${fingerprint(index)}`),
      tasks: yield* tasksOf("", fingerprint),
      tasksFailed: yield* tasksOf("&state=failure", fingerprint),
      tasksOfLargeGroup: yield* tasksOf("&state=failure", () => fingerprintAt(1)),
      barePage: yield* measureBarePage(site.env, project.id, requests)
    }
    yield* client.close
    return reads
  })

report(Effect.gen(function*() {
  const ingest = yield* measureIngest(tasks).pipe(
    Effect.scoped, // the second writer ends before its database
    Effect.provide(writer.pipe(Layer.provideMerge(freshSettings(database, { ingestQueueEvents: 1_000_000 }))))
  )
  return { bench: "failures", database, failures, groups, ingest, reads: yield* measureReads(database) }
}))
