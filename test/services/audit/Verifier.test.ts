import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId } from "../../../src/domain/kernel/Id.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import { AuditVerifier } from "../../../src/services/audit/Verifier.ts"
import { CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import { Metrics } from "../../../src/services/kernel/Metrics.ts"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { brainOn } from "../../brain.ts"
import { engines, settingsOn } from "../../databases.ts"
import { auditLog } from "./layer.ts"
import { append, later } from "./world.ts"

const metric = Effect.flatMap(
  Metrics,
  ({ registry }) =>
    Effect.map(
      Effect.promise(() => registry.metrics()),
      (text) =>
        text.split("\n").filter((line) => line.startsWith("svc_audit_chain")).map((line) =>
          line.replace("svc_audit_chain_", "")
        )
    )
)

const tick = Effect.flatMap(AuditVerifier, (verifier) => verifier.tick())

describe.each(engines)("the scheduled verification on %s", (engine) => {
  layer(settingsOn(engine, { auditChainVerifyEnabled: true }), { excludeTestServices: true })((it) => {
    it.scoped("runs once in a cluster and an interval, counts, and continues when the log is broken", () =>
      Effect.gen(function*() {
        const settings = yield* Settings
        const replica = Layer.build(Layer.fresh(AuditVerifier.layer.pipe(
          Layer.provideMerge(auditLog),
          Layer.provideMerge(Layer.succeed(Settings, settings))
        )))
        const [one, two] = [yield* replica, yield* replica]
        yield* Effect.provide(append(3), one)
        yield* Effect.all([Effect.provide(tick, one), Effect.provide(tick, two)], { concurrency: "unbounded" })
        const both = [...yield* Effect.provide(metric, one), ...yield* Effect.provide(metric, two)]
        assert.lengthOf(both.filter((line) => line === `verifications_total{outcome="clean"} 1`), 1)
        assert.lengthOf(both.filter((line) => line === "rows_verified 3"), 1)

        yield* Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM audit_log WHERE seq = 2`),
          one
        )
        yield* Effect.provide(tick, two)
        yield* Effect.provide(later(86_000)(tick), two)
        assert.notInclude(yield* Effect.provide(metric, two), `verifications_total{outcome="failed"} 1`, "not due yet")
        yield* Effect.provide(later(86_500)(tick), two)
        const after = yield* Effect.provide(metric, two)
        assert.include(after, `verifications_total{outcome="failed"} 1`)
        assert.include(after, "rows_verified 1")

        const put = (text: string) =>
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text)).pipe(Effect.provide(two))
        yield* put(
          "UPDATE audit_verification SET claimed_at = '9999-01-01T00:00:00.000000Z', finished_at = '9999-01-01T00:00:00.000000Z'"
        )
        yield* put("DELETE FROM audit_log")
        yield* put("DELETE FROM audit_head")
        yield* Effect.provide(later(86_600)(tick), two)
        assert.include(
          yield* Effect.provide(metric, two),
          `verifications_total{outcome="failed"} 2`,
          "put off, and of an emptied log"
        )
      }))
  })
})

/** Only its id is read. */
const project = { id: ProjectId.make(randomUUID()) } as Project

describe.each(engines)("the verification that a person asks for on %s", (engine) => {
  layer(settingsOn(engine, { auditChainVerifyEnabled: false }), { excludeTestServices: true })((it) => {
    it.scoped("verifies when a person asks, shows how far it is, and names the broken row", () =>
      Effect.gen(function*() {
        const settings = yield* Settings
        const context = yield* Layer.build(AuditVerifier.layer.pipe(
          Layer.provideMerge(auditLog),
          Layer.provideMerge(Layer.succeed(Settings, settings))
        ))
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const verifier = yield* AuditVerifier
          yield* append(3)
          yield* verifier.tick()
          assert.deepInclude(yield* verifier.get(), { status: "idle", last: null }, "none is due by itself")
          assert.deepInclude(yield* verifier.request(), { status: "waiting" })
          assert.deepInclude(yield* verifier.request(), { status: "waiting" }, "the same one")
          yield* verifier.tick()
          const { last, status } = yield* verifier.get()
          assert.deepStrictEqual([status, last?.outcome, last?.rows, last?.problem], ["idle", "intact", 4, null])
          const requests = yield* sql`SELECT seq FROM audit_log WHERE action = 'audit.verification_requested'`
          assert.lengthOf(requests, 1)

          yield* sql`UPDATE audit_verification SET claimed_at = '2999-01-01T00:00:00.000000Z', checked_rows = 2, total_rows = 4`
          assert.deepInclude(yield* verifier.get(), { status: "running", checked_rows: 2, total_rows: 4 })
          yield* sql`UPDATE audit_log SET action = 'changed', project_id = ${project.id} WHERE seq = 2`
          yield* verifier.tick() // the process of the running one died
          const broken = (yield* verifier.get()).last
          assert.deepInclude(broken, { outcome: "broken", rows: 1 })
          assert.deepInclude(broken?.problem, { kind: "changed", seq: 2 })
          assert.isNotNull(broken?.problem?.cursor, "an entry of this project")
        }).pipe(Effect.provide(context), Effect.provideService(CurrentProject, project))
      }))
  })
})

describe("the scheduled verification", () => {
  it.scopedLive("has no metrics while it is off, which it is by default", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* metric, [])
    }).pipe(Effect.provide(brainOn("SQLite"))))

  it.scopedLive("has metrics from the start when it is on", () =>
    Effect.gen(function*() {
      assert.include(yield* metric, `verifications_total{outcome="failed"} 0`)
    }).pipe(Effect.provide(brainOn("SQLite", { auditChainVerifyEnabled: true }))))
})
