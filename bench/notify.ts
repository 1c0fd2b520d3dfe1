import { Effect, Layer } from "effect"
import { writer } from "./ingest/writer.ts"
import { measureIngest } from "./notify/ingest.ts"
import { measureMatching } from "./notify/match.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { freshSettings } from "./services.ts"

/**
 * What notifications cost, one part a file of `bench/notify/`.
 * `npx vite-node bench/notify.ts sqlite|postgresql [tasks]`
 */
const { database, tasks } = databaseAndNumbersOf("notify", { tasks: 24_000 })

report(
  Effect.map(measureIngest(tasks), (ingest) => ({ bench: "notify", database, matching: measureMatching(), ingest }))
    .pipe(
      Effect.provide(writer.pipe(Layer.provideMerge(freshSettings(database, { ingestQueueEvents: 1_000_000 }))))
    )
)
