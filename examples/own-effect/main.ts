/**
 * An application on an older Effect than the one svc is built with: 3.21.4, the oldest that svc accepts. Brain, agent and
 * client run on the application's copy, so their layers, services, errors and schemas are those of the application.
 *
 *   npm ci && npm pack                                       # in a clone of svc
 *   cd examples/own-effect && npm install && npm run build
 *   SVC_HOME=/tmp/own-effect SVC_PORT=7711 npm start         # prints what it does, and ends
 */
import { HttpServer } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer, ModuleVersion, Schema, Stream } from "effect"
import { Actor, Agents, Brain, CurrentActor, CurrentProject, Projects, Server, settings, TaskChanges } from "svc"
import { Agent } from "svc/agent"
import * as EffectQueue from "svc/agent/effect-queue"
import { client } from "svc/http"

const asMyself = Effect.provideService(CurrentActor, Actor.system("own-effect"))

const Order = Schema.Struct({ order: Schema.Int })

const program = Effect.gen(function*() {
  yield* Console.log(`effect ${ModuleVersion.getCurrentVersion()}`)
  const projects = yield* Projects
  const create = asMyself(projects.create({
    slug: "shop",
    name: "Shop",
    description: null,
    environment: "production",
    timezone: "UTC",
    default_scheduler_owner: "svc-scheduler",
    allowed_schedulers: null
  }))
  const project = yield* create
  const again = yield* Effect.flip(create)
  yield* Console.log(`a second project of the name: ${again._tag}`)

  const agents = yield* Agents
  const identity = yield* agents.create({ name: "orders" }).pipe(
    Effect.provideService(CurrentProject, project),
    asMyself
  )
  const { address } = yield* HttpServer.HttpServer
  const baseUrl = HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
  const api = yield* client({ baseUrl })
  const refusal = yield* Effect.flip(api.projects.list())
  yield* Console.log(`a client without a key: ${refusal._tag}`)

  const changes = yield* TaskChanges
  const orders = yield* EffectQueue.make({ name: "orders", schema: Order })
  yield* Effect.forkScoped(orders.run(({ order }) => Console.log(`order ${order} is packed`)))
  const { hmac_secret: hmacSecret, token } = identity
  yield* Layer.build(Agent.layer({ brainUrl: baseUrl, token, hmacSecret, engines: [EffectQueue.engine([orders])] }))
  const succeeded = yield* changes.changes.pipe(
    Stream.filter(({ state }) => state === "success"),
    Stream.take(1),
    Stream.runHead,
    Effect.fork
  )
  yield* orders.offer({ order: 17 })
  yield* Effect.flatMap(succeeded, (task) => Console.log(`the brain has the task: ${task._tag}`))
})

const Http = Server.layer.pipe(
  Layer.provideMerge(Brain.layer),
  Layer.provideMerge(settings(process.env)),
  Layer.provideMerge(EffectQueue.layerMemory()),
  Layer.provide(NodeContext.layer)
)

NodeRuntime.runMain(program.pipe(Effect.scoped, Effect.provide(Http)))
