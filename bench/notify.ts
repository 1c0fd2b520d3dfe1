import { Effect, Layer } from "effect"
import { writer } from "./ingest/writer.ts"
import { measureDeliveries } from "./notify/deliveries.ts"
import { measureIngest } from "./notify/ingest.ts"
import { measureMatching } from "./notify/match.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { freshSettings } from "./services.ts"

/**
 * What notifications cost, one part a file of `bench/notify/`.
 * `npx vite-node bench/notify.ts sqlite|postgresql [tasks] [deliveries]`
 */
const { database, deliveries, tasks } = databaseAndNumbersOf("notify", { tasks: 24_000, deliveries: 2000 })

const ingest = measureIngest(tasks).pipe(
  Effect.provide(writer.pipe(Layer.provideMerge(freshSettings(database, { ingestQueueEvents: 1_000_000 }))))
)

report(Effect.gen(function*() {
  const delivering = yield* measureDeliveries(database, deliveries)
  return { bench: "notify", database, matching: measureMatching(), ingest: yield* ingest, deliveries: delivering }
}))
