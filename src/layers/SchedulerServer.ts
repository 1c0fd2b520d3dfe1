import { Effect, Layer } from "effect"
import { Settings } from "../services/kernel/Settings.ts"
import { SchedulerLeases } from "../services/schedules/SchedulerLeases.ts"
import { SchedulerPrograms } from "../services/schedules/SchedulerPrograms.ts"
import { SchedulerProtocol } from "../services/schedules/SchedulerProtocol.ts"

/** gRPC is loaded only where it is served: its modules take 8 MB of memory. */
const layerListener = Layer.unwrapEffect(
  Effect.map(Effect.promise(() => import("../grpc/Listener.ts")), ({ listen }) => Layer.scopedDiscard(listen))
).pipe(Layer.provide([SchedulerLeases.layer, SchedulerPrograms.layer, SchedulerProtocol.layer]))

/** The port for scheduler programs, where SVC_SCHEDULER_GRPC_BIND is set. */
export const layer = Layer.unwrapEffect(Effect.gen(function*() {
  const { embeddedScheduler, schedulerGrpcBind } = yield* Settings
  if (schedulerGrpcBind !== "") return layerListener
  if (!embeddedScheduler) {
    yield* Effect.logWarning(
      "SVC_EMBEDDED_SCHEDULER is false and SVC_SCHEDULER_GRPC_BIND is empty: this process fires no schedules and serves no scheduler."
    )
  }
  return Layer.empty
}))
