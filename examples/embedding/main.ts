/**
 * An application with a brain inside: its own page and the brain's API on one port, over one SQLite file.
 * Run: SVC_HOME=/tmp/embedding node main.js
 */
import { HttpLayerRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer, Stream } from "effect"
import { createHash } from "node:crypto"
import {
  Actor,
  Agents,
  Brain,
  Commands,
  CurrentActor,
  CurrentProject,
  Errors,
  Projects,
  Server,
  settings,
  type TaskChange,
  TaskChanges,
  taskJson,
  Tasks
} from "svc"

/** Who the brain's audit log names when this application acts. */
const asMyself = Effect.provideService(CurrentActor, Actor.system("the shop's back office"))

/** The project that this application works in, made at its first start. */
const myProject = Effect.gen(function*() {
  const projects = yield* Projects
  const found = (yield* projects.list()).find(({ slug }) => slug === "shop")
  return found ?? (yield* projects.create({
    slug: "shop",
    name: "Shop",
    description: null,
    environment: "production",
    timezone: "UTC",
    default_scheduler_owner: "svc-scheduler",
    allowed_schedulers: null
  }))
}).pipe(asMyself)

/** The application's own page, beside the brain's: how many projects there are. */
const MyRoutes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  const projects = yield* Projects
  const page = Effect.map(
    asMyself(projects.list()),
    (all) => HttpServerResponse.text(`projects: ${all.map(({ slug }) => slug).join(", ")}`)
  )
  yield* router.add("GET", "/", page)
}))

/** A rule of the application's own, in the place of the brain's service: payments are never purged. */
const CarefulCommands = Layer.effect(
  Commands,
  Effect.map(Commands, (commands) =>
    Commands.make({
      ...commands,
      purgeQueue: (request) =>
        request.queue === "payments"
          ? new Errors.Conflict({ code: "payments_are_kept", detail: "The queue of the payments is never purged." })
          : commands.purgeQueue(request)
    }))
)

const Http = Server.layerAgentSockets.pipe(
  Layer.provideMerge(HttpLayerRouter.serve(Layer.merge(Server.layerRoutesShared, MyRoutes), Server.options)),
  Layer.provideMerge(Server.layerListener),
  Layer.provide(CarefulCommands) // what is provided here first, the routes get instead of the brain's own
)

const MyBrain = Brain.layer.pipe(
  Layer.provideMerge(settings(process.env)),
  Layer.provide(NodeContext.layer)
)

/**
 * Asks for another try of a task. Most engines run it under a new id, so it is by its arguments that the brain, through
 * the idempotency key, knows a mail that it was asked to try again before; it then refuses with a `Conflict`.
 */
const again = Effect.fnUntraced(function*({ engine, name, task_id }: TaskChange) {
  const agents = yield* Effect.flatMap(Agents, (agents) => agents.list())
  const agent = agents.find(({ engine_adapters, state }) => state === "online" && engine_adapters.includes(engine))
  if (agent === undefined) return yield* Console.log(`no agent is connected to retry ${task_id}`)
  const row = yield* Effect.flatMap(Tasks, (tasks) => tasks.get({ engine, task_id }))
  const { args, kwargs }: Record<string, unknown> = JSON.parse(taskJson(row))
  const mail = createHash("sha256").update(JSON.stringify([name, args, kwargs])).digest("hex")
  const commands = yield* Commands
  const command = yield* commands.retryTask({
    agent_id: agent.id,
    engine,
    task_id,
    override_args: null,
    override_kwargs: null,
    eta_seconds: null,
    idempotency_key: `mail again ${mail}`
  })
  yield* Console.log(`asked for another try of ${task_id}: command ${command.id} is ${command.status}`)
})

const program = Effect.gen(function*() {
  const project = yield* myProject
  const inProject = Effect.provideService(CurrentProject, project)
  const { address } = yield* HttpServer.HttpServer
  yield* Console.log(`listening at ${HttpServer.formatAddress(address)}`)

  // each change of a task of the project, as it is committed
  const changes = (yield* TaskChanges).changes.pipe(
    Stream.filter(({ project_id }) => project_id === project.id),
    Stream.tap(({ name, previous_state, state, task_id }) =>
      Console.log(`${name} ${task_id}: ${previous_state ?? "new"} -> ${state}`)
    ),
    // and a reaction of the application's own: what failed as a mail is tried again, once
    Stream.filter(({ name, state }) => name.startsWith("mail.") && state === "failure"),
    Stream.runForEach((task) =>
      again(task).pipe(
        Effect.catchTag("Conflict", () => Console.log(`${task.name} ${task.task_id} was the second try of its mail`)),
        inProject,
        asMyself,
        Effect.catchAll((error) => Console.error(error.message))
      )
    )
  )
  yield* changes
})

// Interrupted by SIGTERM, the layers end in reverse: no new requests, what was accepted is written, sockets are closed.
NodeRuntime.runMain(program.pipe(Effect.provide(Http), Effect.provide(MyBrain)))
