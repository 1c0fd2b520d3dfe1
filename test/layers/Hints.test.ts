import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { system } from "../../src/domain/kernel/Actor.ts"
import { AgentId } from "../../src/domain/kernel/Id.ts"
import { Projects } from "../../src/services/identity/Projects.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { Hints } from "../../src/services/kernel/sql/Database.ts"
import { brainOn, freshProject } from "../brain.ts"
import { engines } from "../databases.ts"
import { until } from "../until.ts"

/** What arrives on `access` from now on; the subscription is known to work. */
const subscribe = Effect.gen(function*() {
  const hints = yield* Hints
  const received: Array<string> = []
  const record = (payload: string) => Effect.sync(() => void received.push(payload))
  yield* Effect.forkScoped(Stream.runForEach(hints.subscribe("access"), record))
  const first = yield* Ids.nextOf(AgentId)
  yield* until(Effect.as(hints.publish("access", first), received), (payloads) => payloads.includes(first))
  return {
    waitFor: (payload: string) => until(Effect.sync(() => received), (payloads) => payloads.includes(payload)),
    /** What was received since the last call, up to a hint that is published now. */
    drain: Effect.gen(function*() {
      const last = yield* Ids.nextOf(AgentId)
      yield* hints.publish("access", last)
      yield* until(Effect.sync(() => received), (payloads) => payloads.includes(last))
      return received.splice(0).filter((payload) => payload !== first && payload !== last)
    })
  }
})

describe.each(engines)("hints on %s", (engine) => {
  layer(brainOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("a transaction that commits publishes its hints then, and not before", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const hints = yield* Hints
        const { drain, waitFor } = yield* subscribe
        const hasPublished = yield* Deferred.make<void>()
        const [inside, outside] = [yield* Ids.nextOf(AgentId), yield* Ids.nextOf(AgentId)]
        const publishOutside = Effect.zipRight(Deferred.await(hasPublished), hints.publish("access", outside))
        yield* Effect.forkScoped(publishOutside)
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* hints.publish("access", inside)
          yield* Deferred.succeed(hasPublished, undefined)
          yield* waitFor(outside)
        }))
        assert.deepStrictEqual(yield* drain, [outside, inside])
      }))

    it.scoped("a transaction that is rolled back publishes nothing", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const hints = yield* Hints
        const { drain } = yield* subscribe
        const failing = Effect.zipRight(hints.publish("access", yield* Ids.nextOf(AgentId)), Effect.fail("undone"))
        assert.strictEqual(yield* Effect.flip(sql.withTransaction(failing)), "undone")
        assert.deepStrictEqual(yield* drain, [])
      }))

    it.scoped("a nested transaction publishes with the outer one, and nothing when it alone is rolled back", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const hints = yield* Hints
        const { drain } = yield* subscribe
        const [kept, undone] = [yield* Ids.nextOf(AgentId), yield* Ids.nextOf(AgentId)]
        const failing = Effect.zipRight(hints.publish("access", undone), Effect.fail("undone"))
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* Effect.ignore(sql.withTransaction(failing))
          yield* sql.withTransaction(hints.publish("access", kept))
        }))
        const failingOuter = Effect.zipRight(
          sql.withTransaction(hints.publish("access", undone)),
          Effect.fail("undone")
        )
        yield* Effect.ignore(sql.withTransaction(failingOuter))
        assert.deepStrictEqual(yield* drain, [kept])
      }))

    it.scoped("a service's hint follows its mutation: both or neither", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const projects = yield* Projects
        const project = yield* freshProject()
        const { drain } = yield* subscribe
        const remove = projects.remove().pipe(Effect.provideService(CurrentProject, project))
        yield* Effect.ignore(sql.withTransaction(Effect.zipRight(remove, Effect.fail("undone"))))
        assert.strictEqual((yield* projects.getBySlug(project.slug)).id, project.id)
        assert.deepStrictEqual(yield* drain, [])
        yield* remove
        assert.strictEqual((yield* Effect.flip(projects.getBySlug(project.slug)))._tag, "NotFound")
        assert.deepStrictEqual(yield* drain, [project.id])
      }).pipe(Effect.provideService(CurrentActor, system("test"))))
  })
})
