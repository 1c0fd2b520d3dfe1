import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { Actor, Brain, CurrentActor, Projects, settings } from "svc"

const program = Effect.gen(function*() {
  const projects = yield* Projects
  yield* Console.log(yield* projects.list())
}).pipe(Effect.provideService(CurrentActor, Actor.system("my app")))

const brain = Brain.layer.pipe(
  Layer.provideMerge(settings(process.env)),
  Layer.provide(NodeContext.layer)
)

NodeRuntime.runMain(Effect.provide(program, brain))
