import { NodeContext } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Actor, Brain, CurrentActor, Projects, settings } from "svc"

const program = Effect.gen(function*() {
  const projects = yield* Projects
  return yield* projects.list()
}).pipe(Effect.provideService(CurrentActor, Actor.system("my app")))

const brain = Brain.layer.pipe(
  Layer.provideMerge(settings(process.env)),
  Layer.provide(NodeContext.layer)
)

Effect.runPromise(Effect.provide(program, brain)).then(console.log)
