import { Effect, Layer } from "effect"
import * as Brain from "../src/layers/Brain.ts"
import { measureBacktest } from "./automation/backtest.ts"
import { measureStorm } from "./automation/storm.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { freshSettings } from "./services.ts"

/**
 * What automation rules cost in a storm of failures, and a backtest over many tasks, one part a file of
 * `bench/automation/`. `npx vite-node bench/automation.ts sqlite|postgresql [storm] [tasks] [failures]`
 */
const { database, failures, storm, tasks } = databaseAndNumbersOf("automation", {
  storm: 10_000,
  tasks: 1_000_000,
  failures: 40_000
})

report(
  Effect.gen(function*() {
    return {
      bench: "automation",
      database,
      storm: yield* measureStorm(storm),
      backtest: yield* measureBacktest(tasks, failures)
    }
  }).pipe(
    Effect.provide(Brain.layer.pipe(Layer.provideMerge(freshSettings(database, { ingestQueueEvents: 1_000_000 }))))
  )
)
