import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { Loops } from "../../src/services/kernel/concurrency/Loops.ts"
import { brainOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"

/** A loop is one span, from its start to its end. */
const countSpans = (counts: Map<string, number>, tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    context: (run, fiber) => tracer.context(run, fiber),
    span: (name, ...rest) => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return tracer.span(name, ...rest)
    }
  })

describe.each(laneEngines)("the brain on %s", (engine) => {
  it.scopedLive("has one instance of each service, though several layers provide it: each loop starts once", () =>
    Effect.gen(function*() {
      const counts = new Map<string, number>()
      const tracer = countSpans(counts, yield* Effect.tracer)
      yield* Effect.gen(function*() {
        const names = (yield* (yield* Loops).state).map(({ name }) => name)
        assert.includeMembers(names, [
          "ingest",
          "presence",
          "task hints",
          "commands dispatch",
          "commands answers",
          "row caps"
        ])
        assert.deepStrictEqual(names.filter((name) => counts.get(name) !== 1), [])
      }).pipe(Effect.provide(brainOn(engine).pipe(Layer.provide(Layer.setTracer(tracer)))))
    }))
})
