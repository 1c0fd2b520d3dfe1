import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { system } from "../../src/domain/kernel/Actor.ts"
import * as Brain from "../../src/layers/Brain.ts"
import * as Server from "../../src/layers/Server.ts"
import { cleanUpFork } from "../../src/services/audit/ForkCleanup.ts"
import { CurrentActor } from "../../src/services/kernel/CurrentActor.ts"
import { Settings } from "../../src/services/kernel/Settings.ts"
import { freshAgent } from "../agent.ts"
import { freshKey, freshProject, request } from "../brain.ts"
import { settingsOn } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { anotherProcess, truncateLog } from "../services/audit/world.ts"
import { offerEvents, readRecording } from "../services/tasks/Ingest/world.ts"
import { until } from "../until.ts"

/** A brain with its server on the same database and files as the one before. */
const brainOf = (settings: Context.Tag.Service<Settings>) =>
  Layer.fresh(Server.layer.pipe(Layer.provideMerge(Brain.layer), Layer.provideMerge(Layer.succeed(Settings, settings))))

const code = (
  response: { readonly status: number; readonly json: { readonly code?: string } }
) => [response.status, response.json.code]

describe.each(laneEngines)("a brain on %s whose audit log contradicts what it signed for", (engine) => {
  it.scopedLive(
    "serves reads, changes nothing and says so, running or started on it, until fork-cleanup has recorded the decision",
    () =>
      Effect.gen(function*() {
        const settings = yield* Settings
        const life = yield* Scope.make()
        const first = yield* Layer.buildWithScope(brainOf(settings), life)
        const { agent, key, project } = yield* Effect.gen(function*() {
          const project = yield* freshProject()
          const key = yield* freshKey({ isAdmin: true })
          const agent = yield* freshAgent(project)
          yield* freshProject()
          yield* until(request("GET", "/health/deep", key), ({ status }) => status === 200)
          return { agent, key, project }
        }).pipe(Effect.provide(first))
        const name = { description: "changed" }
        const change = request("PATCH", `/projects/${project.slug}`, { ...key, body: name })
        const refuses = Effect.gen(function*() {
          const refusal = yield* until(change, ({ status }) => status === 503)
          assert.deepStrictEqual(code(refusal), [503, "audit_log_contradicted"])
          assert.include(refusal.json.detail, "svc audit fork-cleanup")
          yield* until(request("GET", "/health/ready"), ({ json }) => json.reason === "audit_log")
          const deep = yield* until(request("GET", "/health/deep", key), ({ json }) =>
            json.checks.audit_chain.status === "failed")
          assert.deepInclude(deep, { status: 503 })
          assert.include(deep.json.checks.audit_chain.detail, "svc audit fork-cleanup")
          assert.strictEqual((yield* request("GET", `/projects/${project.slug}`, key)).status, 200)
        })

        // rows that no checkpoint has seen are taken away under the running brain
        const sql = Context.get(first, SqlClient.SqlClient)
        const [head] = yield* sql<{ seq: number }>`SELECT seq FROM audit_head`
        yield* Effect.provide(truncateLog((head?.seq ?? 0) - 1), first)
        yield* Effect.provide(refuses, first)
        yield* Scope.close(life, Exit.void)

        const second = yield* Layer.build(brainOf(settings))
        yield* Effect.gen(function*() {
          assert.deepStrictEqual(code(yield* change), [503, "audit_log_contradicted"], "from the first request on")
          yield* refuses
          const committed = yield* Deferred.make<void>()
          const source = { projectId: project.id, agentId: agent.agent_id }
          const events = yield* Effect.fork(
            Effect.zipRight(
              offerEvents(source, readRecording("rq").slice(0, 3)),
              Deferred.succeed(committed, undefined)
            )
          )
          const deep = yield* until(
            request("GET", "/health/deep", key),
            ({ json }) =>
              json.checks["loop.ingest"].status === "failed"
          )
          assert.strictEqual(deep.status, 503)
          assert.isFalse(yield* Deferred.isDone(committed))

          assert.isString(
            yield* Effect.provide(cleanUpFork, anotherProcess()).pipe(
              Effect.provideService(CurrentActor, system("test"))
            )
          )
          assert.strictEqual(
            (yield* until(change, ({ status }) => status !== 503)).status,
            200
          )
          yield* Fiber.join(events)
          yield* until(request("GET", "/health/deep", key), ({ status }) => status === 200)
          assert.deepStrictEqual((yield* request("GET", "/health/ready")).json, { status: "ready" })
          const log = yield* request("GET", `/activity?action_prefix=audit.forked`, key)
          assert.lengthOf(log.json.items, 1)
        }).pipe(Effect.provide(second))
      }).pipe(Effect.provide(settingsOn(engine)))
  )
})
