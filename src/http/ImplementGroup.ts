import { type HttpApi, HttpApiBuilder, type HttpApiGroup } from "@effect/platform"
import { Context, Effect, Layer, Record, Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import { Api } from "./Api.ts"

type Parts = typeof Api extends HttpApi.HttpApi<"svc", infer Groups, infer E, infer R> ? { Groups: Groups; E: E; R: R }
  : never

/** The services that handlers ask for while they run. */
type RunTimeServices<Built> = Built extends HttpApiBuilder.Handlers<infer _E, infer _P, infer R, infer _N> ? R : never

/** A group takes its services when it is built; handlers are given what belongs to the request only. */
type CheckedReturn<Built> = [RunTimeServices<Built>] extends [never] ? HttpApiBuilder.Handlers.ValidateReturn<Built>
  : "A handler asks for a service while it runs: take it where the group is built"

/** What a generator that yields these effects is, run with `Effect.gen`. */
type GeneratedEffect<Yielded, Built> = [Yielded] extends [never] ? Effect.Effect<Built>
  : [Yielded] extends [YieldWrap<Effect.Effect<infer _A, infer E, infer R>>] ? Effect.Effect<Built, E, R>
  : never

const without = <A extends object>(self: A, replaced: object): A =>
  Object.create(self, Object.getOwnPropertyDescriptors({ ...replaced, middlewares: new Set() }))

/**
 * The `Api` without its middleware, which would each add a service to the context of a request: `Routes.ts` adds what the
 * middleware provides all at once.
 */
const apiWithoutMiddleware = without(Api, {
  groups: Record.map(
    Api.groups,
    (group) => without(group, { endpoints: Record.map(group.endpoints, (endpoint: object) => without(endpoint, {})) })
  )
})

/**
 * `HttpApiBuilder.group` of our `Api`, without the brain's services in the context of each request. Every service or scope
 * that is added to a context copies it, some twenty times a request; with all services of a brain in it these copies
 * were the largest part of a request's profile (bench/http.ts).
 */
export const implementGroup = <
  const Name extends HttpApiGroup.HttpApiGroup.Name<Parts["Groups"]>,
  Yielded extends YieldWrap<Effect.Effect<unknown, unknown, unknown>>,
  Built
>(
  name: Name,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<
      Parts["E"],
      Parts["R"],
      HttpApiGroup.HttpApiGroup.WithName<Parts["Groups"], Name>
    >
  ) => Generator<Yielded, CheckedReturn<Built>, never>
): Layer.Layer<
  HttpApiGroup.ApiGroup<"svc", Name>,
  HttpApiBuilder.Handlers.Error<GeneratedEffect<Yielded, Built>>,
  Exclude<HttpApiBuilder.Handlers.Context<GeneratedEffect<Yielded, Built>>, Scope.Scope>
> =>
  Layer.scopedContext(Effect.gen(function*() {
    const services = yield* Effect.context<never>()
    const memoMap = yield* Layer.CurrentMemoMap
    const scope = yield* Effect.scope
    // the cast: with the services provided, what is built is as `CheckedReturn` has checked it
    const group = HttpApiBuilder.group(
      apiWithoutMiddleware,
      name,
      ((handlers: never) => Effect.provide(Effect.gen(() => build(handlers)), services)) as never
    )
    return yield* Effect.mapInputContext(Layer.buildWithMemoMap(group, memoMap, scope), (all: Context.Context<never>) =>
      Context.pick(Scope.Scope)(all))
  }))
