import { Effect, Layer } from "effect"
import { Alerts } from "../src/services/alerting/Notifications/Alerts.ts"
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

const quiet = writer.pipe(Layer.provideMerge(freshSettings(database, { ingestQueueEvents: 1_000_000 })))
const alerting = Alerts.layerLoops.pipe(Layer.provideMerge(quiet))

report(Effect.gen(function*() {
  const delivering = yield* measureDeliveries(database, deliveries)
  return {
    bench: "notify",
    database,
    matching: measureMatching(),
    ingest: [
      yield* Effect.provide(measureIngest(tasks, false), quiet),
      yield* Effect.provide(measureIngest(tasks, true), alerting)
    ],
    deliveries: delivering
  }
}))
