import { HttpServer } from "@effect/platform"
import { Console, Effect, Layer, Option } from "effect"
import cluster from "node:cluster"
import { version } from "../../domain/kernel/Version.ts"
import * as Brain from "../../layers/Brain.ts"
import * as Server from "../../layers/Server.ts"
import * as Telemetry from "../../layers/Telemetry.ts"
import { Setup } from "../../services/identity/Setup.ts"
import { Metrics } from "../../services/kernel/Metrics.ts"
import { publicUrlOf } from "../../services/kernel/PublicUrl.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import type { settings } from "../program/Settings.ts"
import { armShutdownDeadline } from "../program/ShutdownDeadline.ts"
import { releaseYoungGeneration } from "../program/StartupHeap.ts"
import { reportReady } from "./Cluster.ts"
import { isLocalOnly, localOnlyWarning } from "./Warnings.ts"

/** Among the workers of `svc serve --workers N` only the first prints for people; one that replaces a dead worker does not. */
const isFirstProcess = cluster.isPrimary || cluster.worker?.id === 1

/**
 * Announces that the server is ready and, while there are no users, prints the setup link; returns its address. Each process
 * announces once: the first as text on standard error, the others in the log.
 */
export const announce = Effect.gen(function*() {
  const effective = yield* Settings
  const { address } = yield* HttpServer.HttpServer
  const url = publicUrlOf({ ...effective, port: address._tag === "TcpAddress" ? address.port : effective.port })
  const line = `svc ${version} is ready at ${url}`
  if (!isFirstProcess) return yield* Effect.as(Effect.logInfo(line), url)
  const setup = yield* Setup
  const link = Option.map(yield* setup.createLink(), (link) => url + link.slice(publicUrlOf(effective).length))
  yield* Console.warn(line)
  yield* Console.warn(Option.match(link, {
    onNone: () => `API reference: ${url}/api/v1/docs`,
    onSome: (link) => `There are no users yet. Create the first admin here, once: ${link}`
  }))
  if (isLocalOnly(effective)) yield* Console.warn(`Warning: ${localOnlyWarning(effective)}`)
  return url
})

/**
 * The server listens before the brain is ready, so that a load balancer sees why it is not. Workers other than the first
 * listen once they are ready: the port would hand requests to a worker that is still starting.
 */
const layerBrainAndServer = isFirstProcess
  ? Server.layerServed.pipe(
    Layer.provideMerge(Brain.layer),
    Layer.provideMerge(Server.layerListener),
    Layer.provideMerge(Metrics.layer)
  )
  : Layer.provideMerge(Server.layer, Brain.layer)

/** The brain and its server; log lines go to standard output, one JSON object each. */
const makeServerLayer = (effective: ReturnType<typeof settings>) =>
  layerBrainAndServer.pipe(Layer.provide(Telemetry.layer), Layer.provideMerge(effective))

type ServerServices = Layer.Layer.Success<ReturnType<typeof makeServerLayer>>

/**
 * Runs the brain until it is interrupted. `startup` runs within it and announces it. What a person needs at the start goes to
 * standard error as text.
 */
export const runServer = <E, R>(
  effective: ReturnType<typeof settings>,
  startup: Effect.Effect<unknown, E, R | ServerServices>
) =>
  Effect.gen(function*() {
    yield* armShutdownDeadline("svc")
    return yield* Effect.gen(function*() {
      yield* reportReady
      yield* startup
      yield* releaseYoungGeneration
      return yield* Effect.never
    }).pipe(Effect.provide(makeServerLayer(effective)))
  })
