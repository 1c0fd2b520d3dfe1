import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { tracedFn } from "../../../src/services/kernel/TracedFn.ts"

const double = tracedFn("Numbers.double")(function*(number: number) {
  const span = yield* Effect.option(Effect.currentSpan)
  return { doubled: 2 * (yield* Effect.succeed(number)), span: span._tag === "Some" ? span.value.name : null }
}, Effect.map(({ doubled, span }) => ({ doubled, span, piped: true })))

/** The spans that the effect makes. */
const spansOf = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function*() {
    const names: Array<string> = []
    const tracer = yield* Effect.tracer
    const recording = Tracer.make({
      context: (run, fiber) => tracer.context(run, fiber),
      span: (name, ...rest) => {
        names.push(name)
        return tracer.span(name, ...rest)
      }
    })
    return { result: yield* Effect.withTracer(effect, recording), names }
  })

describe("a method that is traced", () => {
  it.effect("makes a span of its name, around its pipeline", () =>
    Effect.gen(function*() {
      const { names, result } = yield* spansOf(double(21))
      assert.deepStrictEqual(result, { doubled: 42, span: "Numbers.double", piped: true })
      assert.deepStrictEqual(names, ["Numbers.double"])
    }))

  it.effect("does the same without a span while tracing is off", () =>
    Effect.gen(function*() {
      const { names, result } = yield* spansOf(Effect.withTracerEnabled(double(21), false))
      assert.deepStrictEqual(result, { doubled: 42, span: null, piped: true })
      assert.deepStrictEqual(names, [])
    }))
})
