import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { freshKey, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { insertTasks, storedTask } from "../../../tasks.ts"
import { fromElsewhere } from "../../people.ts"
import { idsOf, seedTasks, settings, start } from "./seedTasks.ts"

type Site = Effect.Effect.Success<ReturnType<typeof seedTasks>>

const remove = ({ basePath, key }: Pick<Site, "basePath" | "key">, body: unknown) =>
  request("POST", `${basePath}/tasks/bulk-delete`, { ...key, body, headers: fromElsewhere() })

describe.each(laneEngines)("bulk-delete on %s", (engine) => {
  layer(serverOn(engine, settings), { excludeTestServices: true })((it) => {
    it.effect("deletes the rows of the given ids that are the project's", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks([{}, {}, {}, {}])
        const other = yield* seedTasks([{}])
        const [first = "", second = "", third = "", fourth = ""] = site.tasks.map(({ id }) => id)
        const task_ids = [first, second.toUpperCase(), first, other.tasks[0]!.id, randomUUID()]
        assert.deepStrictEqual((yield* remove(site, { task_ids, filter_state: null })).json, { deleted_count: 2 })
        assert.deepStrictEqual(idsOf(yield* site.list()), [fourth, third])
        assert.strictEqual((yield* other.list()).json.items.length, 1)
        assert.deepStrictEqual((yield* remove(site, { task_ids: [first] })).json, { deleted_count: 0 })
      }))

    it.effect("deletes what matches every term", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks([
          { name: "a_b", state: "failure", queue: "Mail" },
          { name: "aXb", state: "failure", queue: "mail" },
          { name: "a_b", state: "success", priority: "low" },
          { name: "c%", state: "success", worker_name: "w" },
          { name: "d", state: "started" }
        ])
        const cases: ReadonlyArray<readonly [body: object, deleted: number]> = [
          [{ filter_name: "a_b", filter_state: "failure" }, 1],
          [{ filter_search: "_" }, 1],
          [{ filter_search: "MAIL", filter_priority: ["normal", "high"] }, 1],
          [{ filter_name: "%", filter_worker: "other" }, 0],
          [{ filter_worker: "w", filter_since: "2026-03-10T12:00:03Z", filter_until: "2026-03-10T12:00:03Z" }, 1],
          [{ filter_queue: "celery" }, 1]
        ]
        for (const [body, deleted] of cases) {
          assert.deepStrictEqual((yield* remove(site, body)).json, { deleted_count: deleted }, JSON.stringify(body))
        }
        assert.strictEqual((yield* site.list()).json.items.length, 0)
      }))

    it.effect("takes the oldest ten thousand, keeps the counts, and audits what it did", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks([])
        const tasks = Array.from({ length: 10_003 }, (_, index) =>
          storedTask(site.project.id, start + index, { state: index % 2 === 0 ? "failure" : "success" }))
        yield* insertTasks(tasks)
        assert.deepStrictEqual((yield* remove(site, { filter_name: "ship" })).json, { deleted_count: 10_000 })
        assert.deepStrictEqual(idsOf(yield* site.list()), idsOf(tasks.slice(10_000).reverse()))
        assert.strictEqual((yield* site.list("?include_total=true&limit=1")).json.total_count, 3)
        assert.strictEqual((yield* site.list("?include_total=true&state=failure&limit=1")).json.total_count, 2)
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ metadata: string; user_id: string }>`
          SELECT metadata, user_id FROM audit_log WHERE project_id = ${site.project.id} AND action = 'task.bulk_deleted'`
        const audited = rows.map(({ metadata }) =>
          JSON.parse(metadata)
        )
        assert.strictEqual(audited.reduce((sum, { deleted_count }) => sum + deleted_count, 0), 10_000)
        assert.deepStrictEqual(audited[0].selection, { filter_name: "ship" })
        assert.isTrue(rows.every(({ user_id }) => user_id === site.key.user_id))
      }))

    it.effect("takes a thousand ids, and refuses what is not one of the two modes", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks([{}])
        const ids = Array.from({ length: 1000 }, () => randomUUID())
        const printed = JSON.stringify({ task_ids: ids }, null, 8)
        const accepted = yield* request("POST", `${site.basePath}/tasks/bulk-delete`, {
          ...site.key,
          raw: printed,
          headers: fromElsewhere()
        })
        assert.deepStrictEqual(accepted.json, { deleted_count: 0 })
        const invalidBodies: ReadonlyArray<unknown> = [
          {},
          { task_ids: null, filter_state: null },
          { task_ids: [] },
          { task_ids: [...ids, randomUUID()] },
          { task_ids: ["not-an-id"] },
          { task_ids: "all" },
          { task_ids: ids.slice(0, 1), filter_state: "failure" },
          { filter_state: "" },
          { filter_state: "done" },
          { filter_priority: [] },
          { filter_priority: ["urgent"] },
          { filter_priority: ["high", "high"] },
          { filter_priority: "high" },
          { filter_name: "" },
          { filter_name: "  " },
          { filter_search: "\t" },
          { filter_search: "x".repeat(201) },
          { filter_queue: " " },
          { filter_worker: "" },
          { filter_name: "a\0" },
          { filter_name: 7 },
          { filter_since: "yesterday" },
          { filter_until: "10000-01-01T00:00:00Z" },
          { filter_names: "misspelt" },
          { filter_state: "failure", filter_ques: "misspelt" },
          [],
          null
        ]
        for (const body of invalidBodies) {
          assert.deepInclude(
            (yield* remove(site, body)).json,
            { status: 422, code: "validation_failed" },
            JSON.stringify(body).slice(0, 80)
          )
        }
        const raw = (text: string) =>
          request("POST", `${site.basePath}/tasks/bulk-delete`, { ...site.key, raw: text, headers: fromElsewhere() })
        assert.strictEqual((yield* raw("{")).status, 400)
        assert.strictEqual((yield* raw(`{"filter_name":"${"x".repeat(140_000)}"}`)).status, 413)
        assert.strictEqual((yield* site.list()).json.items.length, 1)
      }))

    it.effect("is for admins with the scope, ten times a minute", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks([{}])
        const body = { filter_state: "pending" }
        const operator = yield* freshKey({ roles: { [site.project.id]: "operator" } })
        const reader = yield* freshKey({ roles: { [site.project.id]: "admin" }, scopes: ["tasks:read", "tasks:write"] })
        const deleter = yield* freshKey({ roles: { [site.project.id]: "admin" }, scopes: ["tasks:delete"] })
        const stranger = yield* freshKey()
        assert.strictEqual((yield* remove({ ...site, key: operator }, body)).status, 403)
        assert.deepInclude((yield* remove({ ...site, key: reader }, body)).json, { status: 403, code: "scope_missing" })
        assert.strictEqual((yield* remove({ ...site, key: stranger }, body)).status, 404)
        assert.strictEqual((yield* remove({ ...site, key: deleter }, body)).status, 200)
        const headers = fromElsewhere()
        const again = request("POST", `${site.basePath}/tasks/bulk-delete`, { ...deleter, body, headers })
        const statuses = yield* Effect.all(Array.from({ length: 11 }, () => Effect.map(again, ({ status }) => status)))
        assert.deepStrictEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429])
      }))
  })
})
