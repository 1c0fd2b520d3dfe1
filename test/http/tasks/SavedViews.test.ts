import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Role } from "../../../src/domain/kernel/Access.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"

const filters = { state: "failure" as const, priority: ["high" as const], search: "pay", query: "-queue:slow" }

describe.each(laneEngines)("saved views on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    /** A project, and a member of it by role. */
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const path = { slug: project.slug }
      const member = (role: Role) =>
        Effect.gen(function*() {
          const key = yield* freshKey({ roles: { [project.id]: role } })
          return { ...key, views: (yield* clientWith(key)).saved_views }
        })
      return { project, path, member }
    })

    it.effect("a view is personal: others neither see, change nor delete it, and may use its name", () =>
      Effect.gen(function*() {
        const { member, path } = yield* site
        const [ada, grace] = [yield* member("viewer"), yield* member("admin")]
        const view = yield* ada.views.create({ path, payload: { name: "Payments", filters } })
        assert.deepInclude(view, {
          name: "Payments",
          filters,
          is_shared: false,
          owner_id: ada.user_id,
          is_own: true,
          updated_at: view.created_at
        })
        assert.deepStrictEqual(yield* ada.views.list({ path }), [view])
        assert.deepStrictEqual(yield* grace.views.list({ path }), [])
        const theirs = { path: { ...path, view_id: view.id }, payload: { name: "x", filters } }
        yield* assertRefused(grace.views.update(theirs), "not_found")
        yield* assertRefused(grace.views.remove({ path: theirs.path }), "not_found")
        yield* assertRefused(
          ada.views.create({ path, payload: { name: "Payments", filters } }),
          "saved_view_name_taken"
        )
        yield* grace.views.create({ path, payload: { name: "Payments", filters } })

        const other = yield* ada.views.create({
          path,
          payload: { name: "All", filters: { priority: [], search: "", state: null, query: "" } }
        })
        assert.deepStrictEqual((yield* ada.views.list({ path })).map(({ name }) => name), ["All", "Payments"])
        const renamed = { path: { ...path, view_id: other.id }, payload: { name: "Payments", filters } }
        yield* assertRefused(ada.views.update(renamed), "saved_view_name_taken")
        const replaced = yield* ada.views.update({ ...renamed, payload: { name: "Every task", filters } })
        assert.deepInclude(replaced, { id: other.id, name: "Every task", filters, is_shared: false })
        yield* ada.views.remove({ path: renamed.path })
        yield* assertRefused(ada.views.remove({ path: renamed.path }), "not_found")
      }))

    it.effect("operators share; every member sees it; its owner and admins change it", () =>
      Effect.gen(function*() {
        const { member, path, project } = yield* site
        const viewer = yield* member("viewer")
        const [owner, operator, admin] = [yield* member("operator"), yield* member("operator"), yield* member("admin")]
        const payload = { name: "Failed", filters, is_shared: true }
        yield* assertRefused(viewer.views.create({ path, payload }), "forbidden")
        const mine = yield* viewer.views.create({ path, payload: { ...payload, is_shared: false } })
        const atMine = { path: { ...path, view_id: mine.id } }
        yield* assertRefused(viewer.views.update({ ...atMine, payload }), "forbidden")

        const shared = yield* owner.views.create({ path, payload })
        assert.deepStrictEqual(yield* viewer.views.list({ path }), [mine, { ...shared, is_own: false }])
        const target = { path: { ...path, view_id: shared.id } }
        for (const { views } of [viewer, operator]) {
          yield* assertRefused(views.update({ ...target, payload }), "forbidden")
          yield* assertRefused(views.remove(target), "forbidden")
        }
        const kept = yield* owner.views.update({ ...target, payload: { name: "Failed today", filters } })
        assert.deepInclude(kept, { name: "Failed today", is_shared: true })
        const changed = yield* admin.views.update({ ...target, payload: { name: "Failures", filters } })
        assert.deepInclude(changed, { name: "Failures", is_own: false, owner_id: owner.user_id })

        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE memberships SET role = 'viewer' WHERE user_id = ${owner.user_id}`
        yield* assertRefused(owner.views.update({ ...target, payload: { name: "Mine", filters } }), "forbidden")
        const taken = yield* owner.views.update({ ...target, payload: { name: "Mine", filters, is_shared: false } })
        assert.strictEqual(taken.is_shared, false, "an owner may take a view back")
        assert.deepStrictEqual(yield* viewer.views.list({ path }), [mine])
        yield* assertRefused(admin.views.remove(target), "not_found")

        const audited = yield* sql<{ action: string; metadata: string }>`SELECT action, metadata FROM audit_log
          WHERE project_id = ${project.id} AND target_id = ${shared.id} ORDER BY seq`
        assert.deepStrictEqual(audited.map(({ action, metadata }) => [action, JSON.parse(metadata)]), [
          ["saved_view.created", { name: "Failed", is_shared: true }],
          ["saved_view.updated", { name: "Failed today", is_shared: true }],
          ["saved_view.updated", { name: "Failures", is_shared: true }],
          ["saved_view.updated", { name: "Mine", is_shared: false }]
        ])
      }))

    it.effect("a shared view outlives its owner's account, a personal one does not", () =>
      Effect.gen(function*() {
        const { member, path, project } = yield* site
        const [owner, viewer] = [yield* member("operator"), yield* member("viewer")]
        const { id } = yield* owner.views.create({ path, payload: { name: "shared", filters, is_shared: true } })
        yield* owner.views.create({ path, payload: { name: "personal", filters } })
        const { token } = yield* freshKey({ isAdmin: true })
        assert.strictEqual((yield* request("DELETE", `/users/${owner.user_id}`, { token })).status, 204)
        const [left] = yield* viewer.views.list({ path })
        assert.deepInclude(left, { id, owner_id: null, is_own: false })
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual((yield* sql`SELECT 1 FROM saved_views WHERE project_id = ${project.id}`).length, 1)
        // without an owner no user would see it again
        const admin = yield* member("admin")
        const target = { path: { ...path, view_id: id } }
        const taken = yield* admin.views.update({
          ...target,
          payload: { name: "taken over", filters, is_shared: false }
        })
        assert.deepInclude(taken, { owner_id: admin.user_id, is_own: true })
        assert.deepStrictEqual(yield* admin.views.list({ path }), [taken])
      }))

    it.effect("limits: 100 a user in a project, 500 shared of a project", () =>
      Effect.gen(function*() {
        const { member, path, project } = yield* site
        const [ada, grace] = [yield* member("operator"), yield* member("operator")]
        const sql = yield* SqlClient.SqlClient
        const insert = Effect.fnUntraced(function*(count: number, owner_id: string | null, is_shared: 0 | 1) {
          const rows = []
          for (let index = 0; index < count; index++) {
            const row = { id: yield* Ids.next, project_id: project.id, owner_id, name: `${index}`, filters: "{}" }
            rows.push({
              ...row,
              is_shared,
              created_at: "2026-01-01T00:00:00.000000Z",
              updated_at: "2026-01-01T00:00:00.000000Z"
            })
          }
          yield* sql`INSERT INTO saved_views ${sql.insert(rows)}`
        })
        yield* insert(100, ada.user_id, 0)
        yield* assertRefused(ada.views.create({ path, payload: { name: "more", filters } }), "too_many_saved_views")
        yield* insert(500, null, 1)
        const payload = { name: "more", filters, is_shared: true }
        yield* assertRefused(grace.views.create({ path, payload }), "too_many_saved_views")
        const { id } = yield* grace.views.create({ path, payload: { ...payload, is_shared: false } })
        const target = { path: { ...path, view_id: id } }
        yield* assertRefused(grace.views.update({ ...target, payload }), "too_many_saved_views")
        assert.strictEqual((yield* ada.views.list({ path })).length, 600)
      }))

    it.effect("what is no view is refused, and absent filters have their defaults", () =>
      Effect.gen(function*() {
        const { member, path } = yield* site
        const { token } = yield* member("viewer")
        const send = (body: object) => request("POST", `/projects/${path.slug}/saved-views`, { token, body })
        const { json } = yield* send({ name: "All", filters: {} })
        assert.deepStrictEqual(json.filters, { state: null, priority: [], search: "", query: "" })
        for (
          const [body, field] of [
            [{ name: " ", filters: {} }, "name"],
            [{ name: "x".repeat(81), filters: {} }, "name"],
            [{ name: "a" }, "filters"],
            [{ name: "a", filters: { state: "lost" } }, "filters.state"],
            [{ name: "a", filters: { priority: Array(5).fill("low") } }, "filters.priority"],
            [{ name: "a", filters: { search: "x".repeat(201) } }, "filters.search"],
            [{ name: "a", filters: { sate: "failure" } }, "filters.sate"]
          ] as const
        ) {
          const response = yield* send(body)
          assert.deepStrictEqual([response.status, response.json.details.issues[0].path], [422, field])
        }
        const unknown = yield* request("PUT", `/projects/${path.slug}/saved-views/${randomUUID()}`, {
          token,
          body: { name: "a", filters: {} }
        })
        assert.strictEqual(unknown.status, 404)
      }))
  })
})
