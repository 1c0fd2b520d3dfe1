import { HttpServer } from "@effect/platform"
import { Console, Effect, Layer, Option } from "effect"
import cluster from "node:cluster"
import { version } from "../domain/Version.ts"
import * as Brain from "../layers/Brain.ts"
import * as Server from "../layers/Server.ts"
import * as Telemetry from "../layers/Telemetry.ts"
import { Metrics } from "../services/Metrics.ts"
import { publicUrlOf } from "../services/PublicUrl.ts"
import { Settings } from "../services/Settings.ts"
import { Setup } from "../services/Setup.ts"
import { reportReady } from "./Cluster.ts"
import type { settings } from "./Settings.ts"
import { isLocalOnly, localOnlyWarning } from "./Warnings.ts"

/** After a signal the process ends within this, whatever a finalizer waits for. */
const deadlineMillis = 9500

const armShutdownDeadline = Effect.sync(() => {
  const arm = () => {
    setTimeout(() => {
      process.stderr.write("svc: the shutdown took too long and was cut\n")
      process.exit(1)
    }, deadlineMillis).unref()
  }
  process.once("SIGTERM", arm).once("SIGINT", arm)
})

/** Of the workers of `svc serve --workers N` the first speaks to people; those that replace a dead one stay silent. */
const isFirstProcess = cluster.isPrimary || cluster.worker?.id === 1

/**
 * Says that the server is ready and, while nobody has set it up, where to; answers its address. A process says so once:
 * the first one as text on standard error, the others in the log.
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
    onNone: () => `Every call of its API: ${url}/api/v1/docs`, // there is nothing to see at the address itself
    onSome: (link) => `Nobody has set it up yet. Make the first admin here, once: ${link}`
  }))
  if (isLocalOnly(effective)) yield* Console.warn(`Warning: ${localOnlyWarning(effective)}`)
  return url
})

/**
 * The server listens before the brain is there, so that a balancer sees why it is not ready. Workers of one port other
 * than the first listen once they are ready: the others would lose requests to one that starts again.
 */
const layerBrainAndServer = isFirstProcess
  ? Server.serving.pipe(Layer.provideMerge(Brain.layer), Layer.provideMerge(Server.listening), Layer.provideMerge(Metrics.layer))
  : Layer.provideMerge(Server.layer, Brain.layer)

/** The brain and its server; log lines go to standard output, one JSON object each. */
const makeServerLayer = (effective: ReturnType<typeof settings>) =>
  layerBrainAndServer.pipe(Layer.provide(Telemetry.layer), Layer.provideMerge(effective))

type ServerServices = Layer.Layer.Success<ReturnType<typeof makeServerLayer>>

/**
 * Runs the brain until it is interrupted, and `beside` within it, which announces it. What a person needs at the start
 * goes to standard error as text.
 */
export const runServer = <E, R>(effective: ReturnType<typeof settings>, startup: Effect.Effect<unknown, E, R | ServerServices>) =>
  Effect.gen(function*() {
    yield* armShutdownDeadline
    return yield* Effect.gen(function*() {
      yield* reportReady
      yield* startup
      return yield* Effect.never
    }).pipe(Effect.provide(makeServerLayer(effective)))
  })
