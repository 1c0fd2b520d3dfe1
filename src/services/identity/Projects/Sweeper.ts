import { Effect, Layer } from "effect"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { Projects } from "../Projects.ts"

/** Deletes the remaining rows of deleted projects, twice a minute. */
export const layer = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  const projects = yield* Projects
  yield* loops.upkeep("deleted projects", "30 seconds", projects.sweepDeleted())
})).pipe(Layer.provide(Projects.layer))
