import { Duration, Effect, Layer } from "effect"
import { ProjectId } from "../src/domain/kernel/Id.ts"
import * as SettingsLayer from "../src/layers/Settings.ts"
import { Settings } from "../src/services/kernel/Settings.ts"
import { Ingest } from "../src/services/tasks/Ingest.ts"
import { TaskRetention } from "../src/services/tasks/Retention.ts"
import { builtProgram } from "./brain.ts"
import { eventsOfEnd, inFrames, offerAll, writer } from "./ingest/writer.ts"
import { bareDeletion } from "./retention/driver.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { nameOf, names, spanMillis } from "./scale/rows.ts"
import { siteWithTasks } from "./scale/site.ts"
import { databaseOf } from "./services.ts"

/**
 * How many tasks a second retention deletes of `tasks` stored ones, when `expired` of them are too old; beside it the bare
 * driver's deletion of the next `expired` tasks in transactions of as many rows; and the ingest's rate meanwhile, as a share of
 * its rate alone. `npx vite-node bench/retention.ts sqlite|postgresql [tasks=1000000] [expired=50000]`
 */
const { database, expired, tasks } = databaseAndNumbersOf("retention", { tasks: 1_000_000, expired: 50_000 })

const ingested = 20_000
const framesFrom = (first: number) =>
  inFrames(
    Array.from({ length: ingested }, (_, index) => eventsOfEnd(first + index, nameOf(index % names), false)).flat(),
    100
  )

const secondsOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(work), ([duration, value]) => ({ seconds: Duration.toSeconds(duration), value }))

report(Effect.gen(function*() {
  const { end, env, projectIds } = yield* siteWithTasks(yield* builtProgram, database, tasks, false)
  const projectId = ProjectId.make(projectIds[0]!)

  /** Sweeps with the retention for which the oldest `count` tasks are too old. */
  const sweepOldest = (count: number) =>
    Effect.gen(function*() {
      const cutoff = end - spanMillis + (spanMillis * count) / tasks
      const now = performance.timeOrigin + performance.now()
      const settings = { ...(yield* Settings), tasksRetentionDays: (now - cutoff) / 86_400_000 }
      const { sweep } = yield* TaskRetention.pipe(
        Effect.provide(Layer.fresh(TaskRetention.layer)),
        Effect.provideService(Settings, settings)
      )
      return yield* sweep()
    })

  return yield* Effect.gen(function*() {
    const ingest = yield* Ingest
    const offer = (first: number) => secondsOf(offerAll(ingest, projectId, framesFrom(first), 32))
    yield* offer(0)
    const alone = yield* offer(ingested)
    const swept = yield* secondsOf(sweepOldest(expired))
    const bare = yield* bareDeletion(env, expired)
    const [both, meanwhile] = yield* Effect.all([secondsOf(sweepOldest(3 * expired)), offer(2 * ingested)], {
      concurrency: "unbounded"
    })
    const perSecond = ({ seconds, value }: { readonly seconds: number; readonly value: number }) =>
      Math.round(value / seconds)
    return {
      bench: "retention",
      database,
      tasks,
      deleted: swept.value,
      deletedPerSecond: perSecond(swept),
      bareDeletedPerSecond: perSecond(bare),
      share: Number((perSecond(swept) / perSecond(bare)).toFixed(2)),
      ingestShareMeanwhile: Number((alone.seconds / meanwhile.seconds).toFixed(2)),
      deletedPerSecondMeanwhile: perSecond(both)
    }
  }).pipe(
    Effect.provide(writer.pipe(
      Layer.provideMerge(databaseOf(env)),
      Layer.provideMerge(SettingsLayer.layer({ ...env }, { ingestQueueEvents: 1_000_000 }))
    ))
  )
}))
