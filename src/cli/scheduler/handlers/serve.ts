import { Console, Effect, Layer, Queue } from "effect"
import { version } from "../../../domain/kernel/Version.ts"
import { layerLogs } from "../../../layers/Logs.ts"
import { layer as layerBrain } from "../../../scheduler/GrpcBrain.ts"
import { lockHome, runScheduler } from "../../../scheduler/Scheduler.ts"
import { SchedulerSettings } from "../../../scheduler/Settings.ts"
import { Store } from "../../../scheduler/Store.ts"
import { readTlsFiles } from "../../../scheduler/Tls.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { armShutdownDeadline } from "../../program/ShutdownDeadline.ts"
import { releaseYoungGeneration } from "../../program/StartupHeap.ts"
import type { serveDefinitions } from "../serve.ts"
import { layerSchedulerSettings } from "../Settings.ts"

/** Each SIGHUP, which `svc-scheduler restart` sends. */
const awaitSignals = Effect.gen(function*() {
  const signals = yield* Queue.sliding<void>(1)
  const listener = () => signals.unsafeOffer(undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", listener)),
    () => Effect.sync(() => process.off("SIGHUP", listener))
  )
  return Queue.take(signals)
})

const serve = Effect.scoped(Effect.gen(function*() {
  const settings = yield* SchedulerSettings
  yield* armShutdownDeadline("svc-scheduler")
  yield* lockHome(settings.home)
  yield* Console.warn(
    `svc-scheduler ${version} (${settings.name}) fires the schedules of ${settings.brain.join(" or ")}`
  )
  const run = runScheduler(settings, {
    awaitReconnect: yield* awaitSignals,
    connect: (address, instanceId) =>
      Layer.unwrapEffect(
        Effect.map(readTlsFiles(settings), (tls) => layerBrain({ address, instanceId, tls }))
      )
  })
  yield* releaseYoungGeneration
  yield* Effect.provide(run, [Store.layer(settings.home), layerLogs(settings.logLevel)]).pipe(
    Effect.annotateLogs({ logger: "svc-scheduler", instance: settings.name })
  )
})).pipe(Effect.provide(layerSchedulerSettings))

export const handlers: HandlersOf<typeof serveDefinitions> = { serve: () => serve }
