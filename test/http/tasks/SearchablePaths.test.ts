import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { SearchablePath } from "../../../src/domain/tasks/SearchablePath.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"

const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const operator = yield* freshKey({ roles: { [project.id]: "operator" } })
  const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
  const base = `/projects/${project.slug}`
  const list = Effect.map(
    request("GET", `${base}/searchable-paths`, viewer),
    ({ json }): ReadonlyArray<SearchablePath> => json // as the API documents it
  )
  const add = (body: object, key = operator) => request("POST", `${base}/searchable-paths`, { ...key, body })
  return { project, operator, viewer, base, list, add }
})

describe.each(laneEngines)("searchable paths on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("are at most 16 a project, each in one form, for operators to add and remove", () =>
      Effect.gen(function*() {
        const { add, base, list, operator, project, viewer } = yield* world
        const task_name = "shop.pay"
        const first = yield* add({ task_name, path: "args.customer" })
        assert.strictEqual(first.status, 201)
        assert.deepInclude(first.json, {
          task_name,
          path: "args.0.customer",
          status: "waiting",
          created_by: operator.user_id
        })
        assert.strictEqual((yield* add({ task_name, path: "args.0.customer" })).json.id, first.json.id)
        for (const path of ["kwargs", "kwargs.", "name", "kwargs.a:x OR b", "kwargs.a b", "-kwargs.a", "tag", ""]) {
          assert.strictEqual((yield* add({ task_name, path })).status, 422, path)
        }
        assert.strictEqual((yield* add({ task_name, path: "kwargs.a" }, viewer)).status, 403)
        for (let n = 1; n < 16; n++) assert.strictEqual((yield* add({ task_name, path: `kwargs.n${n}` })).status, 201)
        const refusal = yield* add({ task_name, path: "kwargs.more" })
        assert.deepStrictEqual([refusal.status, refusal.json.code], [409, "too_many_searchable_paths"])

        const remove = (key: object, id = first.json.id) => request("DELETE", `${base}/searchable-paths/${id}`, key)
        assert.strictEqual((yield* remove(viewer)).status, 403)
        assert.strictEqual((yield* remove(operator)).status, 204)
        assert.strictEqual((yield* remove(operator)).status, 404)
        assert.lengthOf(yield* list, 15)
        const again = yield* add({ task_name, path: "args.0.customer" })
        assert.notStrictEqual(again.json.id, first.json.id)
        const sql = yield* SqlClient.SqlClient
        const log = yield* sql<{ action: string; target_id: string }>`SELECT action, target_id FROM audit_log
          WHERE project_id = ${project.id} AND target_id = ${first.json.id} ORDER BY seq`
        assert.deepStrictEqual(log.map(({ action }) => action), ["searchable_path.created", "searchable_path.deleted"])
      }))

    it.effect("answer queries from their index once stored tasks are in it, and say so", () =>
      Effect.gen(function*() {
        const { add, base, list, operator, project } = yield* world
        const tasks = Array.from({ length: 150 }, (_, n) =>
          storedTask(project.id, Date.now() - 200_000 + n, {
            name: "shop.pay",
            kwargs: JSON.stringify({ order: n % 50, token: "[REDACTED]" })
          }))
        yield* insertTasks(tasks)
        yield* add({ task_name: "shop.pay", path: "kwargs.order" })
        yield* add({ task_name: "shop.pay", path: "kwargs.token" })
        yield* Effect.orDie(until(list, (paths) => paths.every(({ status }) => status === "ready")))
        const find = (query: string, key = operator) =>
          request("GET", `${base}/tasks?limit=2&include_total=true&query=${encodeURIComponent(query)}`, key)
        const { json } = yield* find("name:=shop.pay kwargs.order:7")
        assert.deepStrictEqual(json.items.map(({ id }: { id: string }) => id), [tasks[107]?.id, tasks[57]?.id])
        assert.deepInclude(json, { total_count: 3, index: "kwargs.order" })
        const next = yield* request(
          "GET",
          `${base}/tasks?cursor=${json.next_cursor}&query=${encodeURIComponent("name:=shop.pay kwargs.order:7")}`,
          operator
        )
        assert.deepStrictEqual(next.json.items.map(({ id }: { id: string }) => id), [tasks[7]?.id])
        // without the name, tasks of other names may match; and a masked value is in no index
        assert.notProperty((yield* find("kwargs.order:7")).json, "index")
        assert.strictEqual((yield* find("name:=shop.pay kwargs.token:\"[REDACTED]\"")).json.total_count, 150)
        const sql = yield* SqlClient.SqlClient
        const stored = yield* sql`SELECT 1 FROM searchable_values WHERE project_id = ${project.id}`
        assert.lengthOf(stored, 150)

        const selection = { task_ids: tasks.slice(0, 100).map(({ id }) => id) }
        const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
        yield* request("POST", `${base}/tasks/bulk-delete`, { ...admin, body: selection })
        assert.lengthOf(yield* sql`SELECT 1 FROM searchable_values WHERE project_id = ${project.id}`, 50)
        assert.strictEqual((yield* find("name:=shop.pay kwargs.order:7")).json.total_count, 1)

        yield* sql`UPDATE projects SET payload_role = 'admin' WHERE id = ${project.id}`
        assert.strictEqual((yield* find("name:=shop.pay kwargs.order:7")).status, 403)
        yield* sql`UPDATE searchable_paths SET removed_at = '2026' WHERE project_id = ${project.id}`
        const left = sql`SELECT 1 FROM searchable_values WHERE project_id = ${project.id}`
        yield* Effect.orDie(until(left, (rows) => rows.length === 0))
      }))
  })
})
