import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { SchedulesRepo } from "../../../src/services/schedules/Repo.ts"
import { freshKey, request, serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { world } from "./world.ts"

describe.each(engines)("changes of schedules on %s", (engine) => {
  layer(SchedulesRepo.layer.pipe(Layer.provideMerge(serverOn(engine))), { excludeTestServices: true })((it) => {
    it.scoped("they have one order over all projects, and deletions are among them", () =>
      Effect.gen(function*() {
        const changes = yield* SchedulesRepo
        const [one, other] = yield* Effect.all([world, world])
        const { revision: before } = yield* changes.progress
        const a = yield* one.create({ name: "a" })
        const b = yield* other.create({ name: "b" })
        const c = yield* one.create({ name: "c" })
        yield* one.call("PATCH", `/${a.id}`, { queue: "reports" })
        yield* other.call("DELETE", `/${b.id}`)

        const { revision } = yield* changes.progress
        const seen = yield* changes.listChanges(null, before, revision, 100)
        assert.deepStrictEqual(seen.map((change) => "schedule" in change ? change.schedule.id : change.deleted_id), [
          c.id,
          a.id,
          b.id
        ])
        assert.deepStrictEqual(seen.map((change) => change.revision - before), [3, 4, 5])
        const first = seen.slice(0, 1)
        assert.deepStrictEqual(yield* changes.listChanges(null, before, revision, 1), first)
        assert.deepStrictEqual(yield* changes.listChanges(one.project.id, before, revision, 100), seen.slice(0, 2))
        assert.deepStrictEqual(yield* changes.listChanges(other.project.id, before, revision, 100), seen.slice(2))
      }))

    it.scoped("a deleted project and an import in mode replace leave tombstones", () =>
      Effect.gen(function*() {
        const changes = yield* SchedulesRepo
        const { call, create, project } = yield* world
        yield* create({ name: "dashboard" })
        yield* Effect.forEach(["a", "b", "c"], (name) => create({ name, source: "git" }))
        const { revision: before } = yield* changes.progress
        const replaced = yield* call("POST", ":import", {
          mode: "replace",
          source_filter: "git",
          schedules: [
            { name: "d", engine: "celery", kind: "interval", expression: "60", task_name: "t", source: "git" }
          ]
        })
        assert.strictEqual(replaced.status, 200, replaced.text)
        const { revision: imported } = yield* changes.progress
        const kinds = (list: ReadonlyArray<object>) => list.map((change) => "schedule" in change ? "upsert" : "delete")
        assert.deepStrictEqual(kinds(yield* changes.listChanges(project.id, before, imported, 100)), [
          "delete",
          "delete",
          "delete",
          "upsert"
        ])

        const { token } = yield* freshKey({ isAdmin: true })
        assert.strictEqual((yield* request("DELETE", `/projects/${project.slug}`, { token })).status, 204)
        const { revision: deleted } = yield* changes.progress
        assert.strictEqual(deleted - imported, 2)
        assert.deepStrictEqual(kinds(yield* changes.listChanges(project.id, imported, deleted, 100)), [
          "delete",
          "delete"
        ])
      }))

    it.scoped("tombstones go after 7 days, and the horizon shows that changes until them are incomplete", () =>
      Effect.gen(function*() {
        const changes = yield* SchedulesRepo
        const sql = yield* SqlClient.SqlClient
        const { call, create, project } = yield* world
        const ids = yield* Effect.forEach(["old", "new"], (name) => Effect.map(create({ name }), ({ id }) => id))
        const { horizon: before } = yield* changes.progress
        yield* Effect.forEach(ids, (id) => call("DELETE", `/${id}`))
        const old = Timestamp.addSeconds(yield* Timestamp.now, -8 * Timestamp.secondsPerDay)
        yield* sql`UPDATE schedule_tombstones SET deleted_at = ${old} WHERE schedule_id = ${ids[0]}`
        yield* changes.pruneTombstones(yield* Timestamp.now)
        const { horizon, revision } = yield* changes.progress
        assert.isAbove(horizon, before)
        assert.isBelow(horizon, revision)
        const left = yield* changes.listChanges(project.id, 0, revision, 100)
        assert.deepStrictEqual(left.map((change) => "schedule" in change ? null : change.deleted_id), [ids[1]])
      }))

    it.scoped("the watch reads by the index of revisions", () =>
      Effect.gen(function*() {
        if (engine !== "SQLite") return
        const sql = yield* SqlClient.SqlClient
        const plan = yield* sql<{ detail: string }>`EXPLAIN QUERY PLAN SELECT * FROM schedules
          WHERE schedule_revision > 1 AND schedule_revision <= 9 AND scheduler = 'svc-scheduler'
          ORDER BY schedule_revision LIMIT 10`
        assert.include(plan.map(({ detail }) => detail).join(), "schedules_change")
      }))
  })
})
